"""The rule that equipment is at risk: trouble is reported again and again, or gets worse."""

from collections.abc import Iterable, Sequence

from andon.events.domain_event import DomainEvent
from andon.rules.rule import Decision, History, Rule
from andon.runtime.clock import DAY_MS, MINUTE_MS
from contract.reports import REPORTED
from services.dispatch.alert import AT_RISK
from services.dispatch.episodes import episode_of
from services.dispatch.reports import is_abnormal, is_normal, partition_in, time_in

REPEATS = 3
WITHIN_MS = 15 * MINUTE_MS

REPEATED = f"three abnormal reports in {WITHIN_MS // MINUTE_MS} minutes"
WORSE = "ERROR after WARNING"


def at_risk(history: History) -> Iterable[Decision]:
    """Decide at the report that completes one of the patterns, and at no other of its episode."""
    episode = episode_of(history)
    if episode is None:
        return
    upto = episode.reports[: episode.reports.index(history.anchor) + 1]
    if any(_completed_by(upto[:number]) for number in range(1, len(upto))):
        return
    if found := _completed_by(upto):
        reason, triggers = found
        since, at_ms = time_in(episode.first), history.anchor.timestamp_ms
        yield AT_RISK.decide(triggers, subject=since, since=since, at_ms=at_ms, reason=reason)


def _completed_by(reports: Sequence[DomainEvent]) -> tuple[str, tuple[DomainEvent, ...]] | None:
    """Return the pattern that the last of these reports completes, and the reports that it consists of."""
    last, repeated = reports[-1], tuple(reports[-REPEATS:])
    if len(repeated) == REPEATS and last.timestamp_ms - repeated[0].timestamp_ms <= WITHIN_MS:
        return REPEATED, repeated
    warnings = [report for report in reports[:-1] if _state(report).startswith("WARNING")]
    if warnings and _state(last).startswith("ERROR"):
        return WORSE, (warnings[-1], last)
    return None


def _state(report: DomainEvent) -> str:
    return report.entity("state").text("state")


RULE = Rule(
    id="at-risk",
    on=frozenset({REPORTED}),
    when=is_abnormal,
    key=partition_in,
    window_ms=DAY_MS,
    until=is_normal,
    expression=at_risk,
    emits=frozenset({AT_RISK.type}),
)
