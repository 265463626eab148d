"""The rules that equipment has gone silent, and that it is back."""

from collections.abc import Iterable

from andon.events.domain_event import DomainEvent
from andon.rules.rule import Decision, History, Rule
from andon.rules.timing import AfterGap, BeforeGap
from contract.reports import REPORTED
from services.dispatch.alert import BACK, SILENT
from services.dispatch.limits import SILENT_AFTER_MS
from services.dispatch.reports import is_report, partition_in, reports_in, time_in

AFTER_MS = SILENT_AFTER_MS


def silent(history: History) -> Iterable[Decision]:
    """Decide that equipment is silent, if no other report comes within `AFTER_MS` of its last one."""
    last = history.anchor
    if reports_in(history.events) == [last]:
        since = time_in(last)
        yield SILENT.decide((last,), subject=since, since=since, at_ms=last.timestamp_ms + AFTER_MS)


def back(history: History) -> Iterable[Decision]:
    """Decide that equipment is back, at the first report after it was due to be silent."""
    before = () if history.before is None else (history.before,)
    *earlier, now = reports_in((*before, *history.events))
    silences = [
        last
        for number, last in enumerate(earlier)
        if earlier[-1].timestamp_ms <= last.timestamp_ms + AFTER_MS < now.timestamp_ms
        and not _was_answered(last, earlier[number + 1 :], history)
    ]
    if silences:
        since, at_ms = time_in(silences[-1]), now.timestamp_ms
        yield BACK.decide((earlier[-1], now), subject=time_in(now), since=since, at_ms=at_ms)


def _was_answered(last: DomainEvent, later: list[DomainEvent], history: History) -> bool:
    """Return True if a report within `AFTER_MS` after `last` was known in time; else *silent* was decided."""
    in_time = (report for report in later if report.timestamp_ms <= last.timestamp_ms + AFTER_MS)
    return any(history.was_known(report, of=last, after_ms=AFTER_MS) for report in in_time)


SILENT_RULE = Rule(
    id="silent",
    on=frozenset({REPORTED}),
    key=partition_in,
    window_ms=AFTER_MS,
    until=is_report,
    timing=BeforeGap(AFTER_MS),
    expression=silent,
    emits=frozenset({SILENT.type}),
)

BACK_RULE = Rule(
    id="back",
    on=frozenset({REPORTED}),
    key=partition_in,
    window_ms=2 * AFTER_MS,
    timing=AfterGap(AFTER_MS),
    nearest_suffice=True,  # the last reports before a gap say that there was one
    expression=back,
    emits=frozenset({BACK.type}),
)
