"""Invariants of the end, whatever was done before."""

from collections.abc import Iterator
from typing import Final

from andon.tools.stack.processes import eventually
from lab.attack import queues
from lab.attack.target import AttackTarget
from lab.load import compare_with_lake

PART: Final = "invariants"
LOGS: Final = "GET /equipment/{id}/logs"
WITHIN_S: Final = 60
SHOWN: Final = 3


def check(target: AttackTarget) -> None:
    """Compare the views with what was acknowledged, and add up the counts."""
    target.drained(within_s=WITHIN_S)
    eventually(lambda: not any(_differences(target)), within_s=WITHIN_S)
    differences = dict(_differences(target))
    for machine in target.acknowledged:
        asked = target.operation(LOGS).request({"id": machine}).curl
        seen = f"{asked} -> {differences.get(machine)}"
        held = machine not in differences
        target.record.expect(PART, "the logs of a machine", "not what was acknowledged", held=held, seen=seen)
    _sums(target)
    lake = compare_with_lake(target.stack, within_s=WITHIN_S)
    seen = f"of {lake.published} facts {len(lake.missing)} missing, {len(lake.without_images)} without images"
    target.record.expect(PART, "the lake", "lacks what triggers published", held=lake.complete, seen=seen)
    dead = len(queues.dead_letters(target.stack))
    target.record.expect(PART, "dead letters", "there are some", held=not dead, seen=f"{dead} dead letters")


def _differences(target: AttackTarget) -> Iterator[tuple[str, str]]:
    """List the machines whose logs are not what was acknowledged, with what is missing and what is too much."""
    for machine, reports in target.acknowledged.items():
        shown = {log["timestamp"]: log["state"] for log in target.items(LOGS, id=machine)}
        missing = sorted(reports.items() - shown.items())
        extra = sorted(shown.items() - reports.items() - target.unanswered[machine].items())
        if missing or extra:
            yield machine, f"{len(missing)} missing, as {missing[:SHOWN]}; {len(extra)} too much, as {extra[:SHOWN]}"


def _sums(target: AttackTarget) -> None:
    """Of all that a listener received, each message has one fate."""
    for view, counts in queues.fates(target.stack).items():
        accounted = sum(counts[fate] for fate in queues.FATES)
        seen = f"{view}: {dict(counts)}"
        target.record.expect(PART, "counts", "do not add up", held=counts["received"] == accounted, seen=seen)
