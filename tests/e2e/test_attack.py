from andon.tools.stack.stack import Stack
from lab.attack import report
from lab.attack.known import KNOWN
from lab.attack.run import attack

REQUESTS = 420
SEED = 1


def test_an_attack_breaks_nothing_but_what_is_known(stack: Stack) -> None:
    record = attack(stack, requests=REQUESTS, seed=SEED)

    print(report.table(record))  # noqa: T201  a figure for a person
    shown = report.findings(record, KNOWN)
    assert not record.unexplained(KNOWN), shown
    assert not record.mended(KNOWN), f"delete it from KNOWN:\n{shown}"
