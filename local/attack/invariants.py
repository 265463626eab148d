"""What is true at the end, whatever was done before."""

from typing import Final

from local.attack import examples, queues
from local.attack.target import Target
from local.stack.processes import eventually

PART: Final = "invariants"
LOGS: Final = "GET /equipment/{id}/logs"
WITHIN_S: Final = 60


def check(target: Target) -> None:
    """Compare the views with what was acknowledged, add up the counts, read every list."""
    queues.drained(target.stack, within_s=WITHIN_S)
    for machine, reports in target.acknowledged.items():
        _same_logs(target, machine, reports)
    _sums(target)
    dead = len(queues.dead_letters(target.stack))
    target.record.expect(PART, "dead letters", "there are some", held=not dead, seen=f"{dead} dead letters")


def _same_logs(target: Target, machine: str, reports: dict[str, str]) -> None:
    def shown() -> dict[str, str]:
        return {log["timestamp"]: log["state"] for log in target.items(LOGS, id=machine)}

    held = eventually(lambda: shown() == reports, within_s=WITHIN_S)
    missing = sorted(reports.items() - shown().items())[:3]
    extra = sorted(shown().items() - reports.items())[:3]
    asked = examples.request(target.operation(LOGS), {"id": machine})
    seen = f"{asked.curl} -> missing {missing}, extra {extra}"
    target.record.expect(PART, "the logs of a machine", "not what was acknowledged", held=held, seen=seen)


def _sums(target: Target) -> None:
    """Of all that a listener received, each message has one fate."""
    for view, counts in queues.fates(target.stack).items():
        told = sum(counts[fate] for fate in queues.FATES)
        seen = f"{view}: {dict(counts)}"
        target.record.expect(PART, "counts", "do not add up", held=counts["received"] == told, seen=seen)
