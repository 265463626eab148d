"""The rules that a machine is in trouble: somebody may be asked for help at once, and others after some minutes.

Both are evaluated when their anchor arrives. So that nobody is asked twice, whatever order reports arrive in, a chain
begins at that report of an episode which arrived first, of those that it is on.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from andon.events.domain_event import DomainEvent
from andon.rules.rule import Decision, History, Rule
from andon.rules.timing import AtOnce
from andon.runtime.clock import MINUTE_MS
from contract.chains import SILENT
from contract.entities.logs import LogRef
from contract.log_rows import log_of
from contract.reports import REPORTED
from services.dispatch.beginning import askings_about, begin
from services.dispatch.fact_types import EQUIPMENT_SILENT, HELP_REQUESTED, NOBODY_FOUND, TROUBLE_OPENED
from services.dispatch.handled import is_over, logs_of_episode
from services.dispatch.help import begun_in
from services.dispatch.known import Known, has_chains, known_in
from services.dispatch.limits import SILENT_AFTER_MS
from services.dispatch.reports import is_abnormal, is_normal, is_report, log_in, partition_in, time_in, trouble_of
from services.dispatch.tables import partition_of

STALE_MS: Final = 10 * MINUTE_MS
"""A report that is older when it arrives asks nobody: a machine in trouble reports again."""

WINDOW_MS: Final = 15 * MINUTE_MS

EMITS: Final = frozenset({TROUBLE_OPENED, HELP_REQUESTED, NOBODY_FOUND})


def trouble(history: History) -> Iterable[Decision]:
    """Begin the chains that are on the state of a report, unless they have begun in its episode."""
    known, log = known_in(history), trouble_of(log_in(history.anchor))
    askings = askings_about(log, known)
    if not askings or _is_stale(history, history.anchor) or is_over(history, log):
        return ()
    begun = _begun(history, known, log)
    return begin(history, log, [asking for asking in askings if asking.chain not in begun])


def silent_trouble(history: History) -> Iterable[Decision]:
    """Begin the chains that are on silence, unless a report has come since."""
    silence, known = history.anchor.entity("silence"), known_in(history)
    log = trouble_of(log_of(silence.text("equipmentId"), SILENT, silence.text("since")))
    return () if is_over(history, log) else begin(history, log, askings_about(log, known))


def _begun(history: History, known: Known, log: LogRef) -> set[str]:
    """Return the chains that have begun in the episode: by reports that arrived before, and by own facts."""
    by_reports = (log_in(report) for report in _arrived_before(history))
    begun = {asking.chain for other in by_reports for asking in askings_about(other, known)}
    logs = [other for other in logs_of_episode(history, log) if other != log]
    return begun.union(
        *(begun_in(event) for event in history.events if event.type == TROUBLE_OPENED and log_in(event) in logs)
    )


def _arrived_before(history: History) -> Iterator[DomainEvent]:
    """Yield the other abnormal reports of the episode that arrived before the anchor.

    One that arrived before the normal report which ended the last episode was taken for a part of that one.
    """
    anchor, ended = _arrival(history, history.anchor), history.before
    known_ms = history.arrived_ms[ended.id] if ended is not None and is_normal(ended) else 0
    for report in filter(is_abnormal, history.events if ended is None else (ended, *history.events)):
        arrival = _arrival(history, report)
        if known_ms <= arrival[0] and arrival < anchor and not _is_stale(history, report):
            yield report


def _arrival(history: History, report: DomainEvent) -> tuple[int, str, str]:
    """Return the place of a report in the order of arrival; in one millisecond, that of its own time is first."""
    return history.arrived_ms[report.id], time_in(report), report.entity("state").text("state")


def _is_stale(history: History, report: DomainEvent) -> bool:
    return history.arrived_ms[report.id] - report.timestamp_ms > STALE_MS


def _partition_of_silence(event: DomainEvent) -> str:
    return partition_of(event.partition_key)


RULE: Final = Rule(
    id="trouble",
    on=frozenset({REPORTED}),
    when=is_abnormal,
    key=partition_in,
    window_ms=WINDOW_MS,
    until=is_normal,
    nearest_suffice=True,  # the nearest reports of a long episode are on the same chains
    timing=AtOnce(after_ms=WINDOW_MS),  # a report that arrived before may be about a later time
    needs_context=True,
    enough=has_chains,
    expression=trouble,
    emits=EMITS,
)

SILENT_RULE: Final = Rule(
    id="silent-trouble",
    on=frozenset({("dispatch", EQUIPMENT_SILENT)}),
    key=_partition_of_silence,
    window_ms=SILENT_AFTER_MS + WINDOW_MS,
    until=is_report,
    timing=AtOnce(after_ms=WINDOW_MS),
    needs_context=True,
    enough=has_chains,
    expression=silent_trouble,
    emits=EMITS,
)
