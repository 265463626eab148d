"""Chains on the deployed stack, by the clock: who is asked for help when, and that what is over asks nobody else."""

from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from demo.people import EVA, ROSA
from tests.support.deployed.chained_presses import ALONE, MANAGER, NORMAL, PRESSES, SEEN, ChainedPresses


def test_a_chain_of_0_1_and_2_minutes_asks_one_after_the_other_and_no_more_of_whom_somebody_has_seen(
    stack: Stack, chained_presses: ChainedPresses
) -> None:
    assert eventually(lambda: len(chained_presses.asked(stack, ALONE)) == 3)

    asked = chained_presses.asked(stack, ALONE)
    assert [one.person for one in asked] == [EVA, ROSA, MANAGER], asked
    first, second, third = asked
    assert first.after_s > 0
    assert second.after_s > 60
    assert third.after_s > 120
    # The others began before, so that what would be asked of them had been by now.
    for press in (SEEN, NORMAL):
        [only] = chained_presses.asked(stack, press)
        assert only.person == EVA
    print({press: chained_presses.asked(stack, press) for press in PRESSES})  # noqa: T201  figures, with -s
