"""Counts what became of every message of a batch, so that none is dropped in silence."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from patterns.events.domain_event import DomainEvent
from patterns.runtime.metrics import directive
from patterns.views.outcome import Outcome

NONE_YET: Final = {outcome.value: 0 for outcome in Outcome}


class Result(NamedTuple):
    """What became of one message; `event` is None if it could not be read, `error` names what went wrong.

    is_live: it was not replayed. taken_ms: since when its event is on its way, see `Delivery`; None: not known.
    """

    message_id: str
    outcome: Outcome
    event: DomainEvent | None = None
    error: str | None = None
    is_live: bool = True
    taken_ms: int | None = None


def failures(results: Sequence[Result]) -> list[str]:
    """Return the ids of the messages that must come again."""
    return [result.message_id for result in results if result.outcome is Outcome.FAILED]


def line_of(results: Sequence[Result], *, view: str, now_ms: int) -> dict[str, Any]:
    """Return the members of the one log line of a batch, which carries its metrics, too (CloudWatch's embedded format).

    It counts `received`, each outcome, and each outcome of each type (`state-reported.applied`). `lag` lists the
    milliseconds from the bus to the row, one for each live event that was applied; `replayed` counts the others.
    It does not count from the fact: its time may come from a clock that is wrong by hours.
    """
    counts = {"received": len(results), **NONE_YET}
    by_type: Counter[str] = Counter()
    lags = []
    for result in results:
        counts[result.outcome] += 1
        if result.event:
            by_type[f"{result.event.type}.{result.outcome}"] += 1
        if result.outcome is Outcome.APPLIED and result.is_live and result.taken_ms is not None:
            lags.append(max(0, now_ms - result.taken_ms))
    counts |= by_type
    if replayed := sum(not result.is_live for result in results):
        counts["replayed"] = replayed
    lag = {"lag": lags} if lags else {}
    return {
        "view": view,
        **counts,
        **lag,
        "errors": sorted({result.error for result in results if result.error}),
        "_aws": directive(dimension="view", counts=counts, milliseconds=lag, now_ms=now_ms),
    }
