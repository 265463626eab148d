"""Counts what became of every message of a batch, so that none is dropped in silence."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from patterns.events.domain_event import DomainEvent
from patterns.runtime.metrics import directive
from patterns.views.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one message; `event` is None if it could not be read, `error` names what went wrong."""

    message_id: str
    outcome: Outcome
    event: DomainEvent | None = None
    error: str | None = None


def failures(results: Sequence[Result]) -> list[str]:
    """Return the ids of the messages that must come again."""
    return [result.message_id for result in results if result.outcome is Outcome.FAILED]


def line_of(results: Sequence[Result], *, view: str, now_ms: int) -> dict[str, Any]:
    """Return the members of the one log line of a batch, which carries its metrics, too (CloudWatch's embedded format).

    It counts `received`, each outcome, and each outcome of each type (`state-reported.applied`). `lag` lists the
    milliseconds between fact and row, one for each event that was applied.
    """
    outcomes = Counter(result.outcome for result in results)
    by_type = Counter(f"{result.event.type}.{result.outcome}" for result in results if result.event)
    lags = [
        now_ms - result.event.timestamp_ms for result in results if result.event and result.outcome is Outcome.APPLIED
    ]
    counts = {"received": len(results), **{outcome.value: outcomes[outcome] for outcome in Outcome}, **by_type}
    lag = {"lag": lags} if lags else {}
    return {
        "view": view,
        **counts,
        **lag,
        "errors": sorted({result.error for result in results if result.error}),
        "_aws": directive(dimension="view", counts=counts, milliseconds=lag, now_ms=now_ms),
    }
