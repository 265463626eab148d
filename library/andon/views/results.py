"""Results of a batch, one for each fact: those that must come again, and the one log line that counts them all."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Final, NamedTuple

from andon.events.domain_event import DomainEvent
from andon.events.received import Received
from andon.runtime.json_types import JsonObject
from andon.runtime.log import with_metrics
from andon.views.outcome import Outcome
from andon.wire.aws import name_of

NONE_YET: Final = {outcome.value: 0 for outcome in Outcome}

LATE_SECONDS: Final = 300
"""Behind so much, a fact is late: a healthy reader is behind by seconds. Alarms compare with it, too."""

_MOST_VALUES: Final = 100
"""Of a metric, in a line in CloudWatch's embedded format; with more the line has no metrics at all."""

LAG: Final = "lag"
LATE: Final = "late"
UNPROCESSED: Final = "unprocessed"

OVERTAKEN: Final = {Outcome.APPLIED: "applied", Outcome.STALE: "overtaken", Outcome.COMPACTED: "overtaken"}
"""Outcome counted for an edit of a row that another service writes, too."""


class Result(NamedTuple):
    """The result of one fact; `event` is None if it could not be read; `error`: the exception, if it failed.

    is_live: it was not replayed. taken_ms: since when its event is on its way, see `Delivery`; None: not known.
    origin: the service of its event, if two of them write what it wrote, see `RowWrite`.
    """

    received: Received
    outcome: Outcome
    event: DomainEvent | None = None
    error: Exception | None = None
    is_live: bool = True
    taken_ms: int | None = None
    origin: str = ""

    def lag_ms(self, now_ms: int) -> int | None:
        """Return the time from the bus to the row; None if it was replayed, or is in no row."""
        if self.outcome is not Outcome.APPLIED or not self.is_live or self.taken_ms is None:
            return None
        return max(0, now_ms - self.taken_ms)


def failures(results: Sequence[Result]) -> list[Received]:
    """Return the facts that must come again."""
    return [result.received for result in results if result.outcome is Outcome.FAILED]


def line_of(results: Sequence[Result], *, view: str, now_ms: int, put_back: int = 0) -> JsonObject:
    """Return the members of the one log line of a batch, which carries its metrics, too (CloudWatch's embedded format).

    It counts `received` facts, each outcome, and each outcome of each type (`state-reported.applied`). `lag` lists the
    milliseconds from the bus to the row, one for each live event that was applied; `replayed` counts the others, `late`
    those that took longer than they should. It does not count from the fact: its time may come from a clock that is
    wrong by hours. `put_back` counts what failed and comes again without its neighbours, `unprocessed` the messages of
    which a fact failed, or became a fault. Metrics are `late` and `unprocessed`, and `lag` of all readers together.

    Of a service whose edits another version of it writes, too, it counts what was `overtaken` (`dispatch2.overtaken`)
    and what was not (`dispatch2.applied`); `dispatch2.lag` is theirs alone.
    """
    counts = {"received": len(results), **NONE_YET}
    by_type, lag = dict[str, int](), _lag_of(results, now_ms)
    # Nearly all of a batch are of one type and outcome.
    for (event_type, outcome), count in Counter(map(_type_and_outcome, results)).items():
        counts[outcome] += count
        if event_type:
            by_type[f"{event_type}.{outcome}"] = count
    counts |= Counter(
        f"{result.origin}.{OVERTAKEN[result.outcome]}"
        for result in results
        if result.origin and result.outcome in OVERTAKEN
    )
    if replayed := sum(not result.is_live for result in results):
        counts["replayed"] = replayed
    if put_back:
        counts["put_back"] = put_back
    counts |= {name: count for name, count in _troubles(results, lag).items() if count}
    errors = sorted({name_of(result.error) for result in results if result.error})
    line = {"view": view, **counts, **by_type, **_thinned(lag), "errors": errors}
    return with_metrics(line, (LATE, UNPROCESSED), dimension="view", of_all=[LAG], now_ms=now_ms)


def _thinned(lag: Mapping[str, list[int]]) -> dict[str, list[int]]:
    """Return as many times as a metric may have in a line; of more, some from the longest to the shortest."""
    return {
        name: times if len(times) <= _MOST_VALUES else sorted(times)[:: -ceil(len(times) / _MOST_VALUES)]
        for name, times in lag.items()
    }


def _troubles(results: Sequence[Result], lag: Mapping[str, Sequence[int]]) -> dict[str, int]:
    lost = (Outcome.FAILED, Outcome.FAULT)
    return {
        LATE: sum(one > LATE_SECONDS * 1_000 for one in lag.get(LAG, ())),
        UNPROCESSED: len({one.received.message_id for one in results if one.outcome in lost}),
    }


def _type_and_outcome(result: Result) -> tuple[str | None, Outcome]:
    return (result.event.type if result.event else None), result.outcome


def _lag_of(results: Sequence[Result], now_ms: int) -> dict[str, list[int]]:
    lag: dict[str, list[int]] = defaultdict(list)
    for result in results:
        if (lag_ms := result.lag_ms(now_ms)) is not None:
            for name in (LAG, f"{result.origin}.{LAG}") if result.origin else (LAG,):
                lag[name].append(lag_ms)
    return lag
