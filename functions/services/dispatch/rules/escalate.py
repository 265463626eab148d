"""The rule that escalates an episode that nobody has acknowledged for 15 minutes."""

from collections.abc import Iterable

from andon.events.domain_event import DomainEvent
from andon.rules.rule import Decision, History, Rule
from andon.rules.timing import Later
from andon.runtime.clock import DAY_MS, MINUTE_MS
from contract.reports import REPORTED
from services.dispatch.episodes import Episode, episode_of
from services.dispatch.fact_types import STATE_ACKNOWLEDGED, STATE_ESCALATED
from services.dispatch.known import has_roster, known_in
from services.dispatch.reports import is_abnormal, is_normal, log_in, partition_in
from services.dispatch.responsibility import ESCALATION

AFTER_MS = 15 * MINUTE_MS


def escalate(history: History) -> Iterable[Decision]:
    """Escalate an episode that has lasted for 15 minutes: the log that it began with, so that it is done once.

    The rule is evaluated again at each report of the episode, in case there was nobody to escalate it to before. An
    episode that is over by then, or was acknowledged, is not escalated any more.
    """
    episode = episode_of(history)
    if episode is None or episode.recovery is not None or _is_acknowledged(episode, history.events):
        return
    log, at_ms = log_in(episode.first), episode.first.timestamp_ms + AFTER_MS
    supervisor = known_in(history).supervisor_at(at_ms)
    if supervisor is None:
        return
    last = [report for report in episode.reports if report.timestamp_ms <= at_ms][-1]
    yield Decision(
        key=ESCALATION.key_of(log),
        row=ESCALATION.decided_row(log, supervisor, at_ms=at_ms),
        triggers=(episode.first,) if last is episode.first else (episode.first, last),
    )


def _is_acknowledged(episode: Episode, events: Iterable[DomainEvent]) -> bool:
    """Return True if any of the episode's logs was acknowledged; one that nobody reported belongs to no episode."""
    logs = [log_in(report) for report in episode.reports]
    return any(log_in(event) in logs for event in events if event.type == STATE_ACKNOWLEDGED)


RULE = Rule(
    id="escalate",
    on=frozenset({REPORTED}),
    when=is_abnormal,
    key=partition_in,
    window_ms=DAY_MS,
    until=is_normal,
    most=5_000,
    timing=Later(AFTER_MS),
    needs_context=True,
    enough=has_roster,
    expression=escalate,
    emits=frozenset({STATE_ESCALATED}),
)
