"""The rules that tell that equipment has gone silent, and that it is back."""

from collections.abc import Iterable

from patterns.domain_event import DomainEvent
from patterns.rule import Decision, History, Rule
from services.dispatch.alert import BACK, SILENT
from services.dispatch.reports import MINUTE_MS, REPORTED, equipment_in, is_report, reports_in, time_in

AFTER_MS = 30 * MINUTE_MS


def silent(history: History) -> Iterable[Decision]:
    """Decide that equipment is silent, if within 30 minutes of its last word there is no other."""
    last = history.anchor
    if reports_in(history.events) == [last]:
        since = time_in(last)
        yield SILENT.decide((last,), subject=since, since=since, at_ms=last.timestamp + AFTER_MS)


def back(history: History) -> Iterable[Decision]:
    """Decide that equipment is back, at the first report after it was to be told silent."""
    before = () if history.before is None else (history.before,)
    *earlier, now = reports_in((*before, *history.events))
    silences = [report for report in earlier if _ends_silence(now, report, earlier, history)]
    if silences:
        since, at_ms = time_in(silences[-1]), now.timestamp
        yield BACK.decide((earlier[-1], now), subject=time_in(now), since=since, at_ms=at_ms)


def _ends_silence(now: DomainEvent, last: DomainEvent, reports: list[DomainEvent], history: History) -> bool:
    """Tell whether `now` is the first report after it was told that nothing had come since `last`.

    There may be some in between: they were on their way for longer than anybody waits for them.
    """
    told_ms = last.timestamp + AFTER_MS
    until_then = [report for report in reports[reports.index(last) + 1 :] if report.timestamp <= told_ms]
    return reports[-1].timestamp <= told_ms < now.timestamp and not any(
        history.was_known(report, of=last, after_ms=AFTER_MS) for report in until_then
    )


SILENT_RULE = Rule(
    id="silent",
    on=frozenset({REPORTED}),
    key=equipment_in,
    window_ms=AFTER_MS,
    until=is_report,
    after_ms=AFTER_MS,
    expression=silent,
    emits=frozenset({SILENT.type}),
)

BACK_RULE = Rule(
    id="back",
    on=frozenset({REPORTED}),
    key=equipment_in,
    window_ms=2 * AFTER_MS,
    expression=back,
    emits=frozenset({BACK.type}),
)
