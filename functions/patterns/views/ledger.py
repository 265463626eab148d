"""What became of every message of a batch: counted, so that nothing is dropped in silence."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from patterns.events.domain_event import DomainEvent
from patterns.runtime.metrics import directive


class Fate(StrEnum):
    """What became of a message; of `received` messages each has exactly one.

    The first four are the outcomes of the inverse oplock. `COMPACTED`: a newer one of the same batch was written in
    its place. `FAULT`: it can never succeed, and was published as a fault. `FAILED`: it will come again.
    """

    APPLIED = "applied"
    DUPLICATE = "duplicate"
    STALE = "stale"
    EXPIRED = "expired"
    COMPACTED = "compacted"
    FAULT = "fault"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Result:
    """The fate of one message; `event` is None if nobody could make anything of it, `error` names what went wrong."""

    message_id: str
    fate: Fate
    event: DomainEvent | None = None
    error: str | None = None


def failures(results: Sequence[Result]) -> list[str]:
    """List the messages that are to come again."""
    return [result.message_id for result in results if result.fate is Fate.FAILED]


def line_of(results: Sequence[Result], *, view: str, now_ms: int) -> dict[str, Any]:
    """Give the members of the one log line of a batch, which is its metrics blob, too (CloudWatch's embedded format).

    Counted are `received`, each fate, and each fate of each type (`state-reported.applied`); `lag` has the milliseconds
    between fact and row of every event that was applied.
    """
    fates = Counter(result.fate for result in results)
    by_type = Counter(f"{result.event.type}.{result.fate}" for result in results if result.event)
    lags = [now_ms - result.event.timestamp for result in results if result.event and result.fate is Fate.APPLIED]
    counts = {"received": len(results), **{fate.value: fates[fate] for fate in Fate}, **by_type}
    lag = {"lag": lags} if lags else {}
    return {
        "view": view,
        **counts,
        **lag,
        "errors": sorted({result.error for result in results if result.error}),
        "_aws": directive(dimension="view", counts=counts, milliseconds=lag, now_ms=now_ms),
    }
