"""The rule that hands up what nobody has seen to for 15 minutes."""

from collections.abc import Iterable

from patterns.events.domain_event import DomainEvent
from patterns.rules.rule import Decision, History, Rule
from services.dispatch.episodes import Episode, episode_of
from services.dispatch.reports import DAY_MS, MINUTE_MS, REPORTED, equipment_in, is_abnormal, is_normal, log_in
from services.dispatch.responsibility import ESCALATION
from services.dispatch.roster import roster_in

AFTER_MS = 15 * MINUTE_MS


def escalate(history: History) -> Iterable[Decision]:
    """Escalate an episode that has lasted for 15 minutes, by the log that it began with, so that it is done once.

    It is asked again at each of its reports, in case that there was no roster before; what is over by then, or was
    acknowledged, is not handed up any more.
    """
    roster = roster_in(history)
    episode = episode_of(history)
    if roster is None or episode is None or episode.recovery is not None or _is_acknowledged(episode, history.events):
        return
    log, at_ms = log_in(episode.first), episode.first.timestamp + AFTER_MS
    last = [report for report in episode.reports if report.timestamp <= at_ms][-1]
    yield Decision(
        key=ESCALATION.key_of(log),
        row=ESCALATION.decided(log, roster.supervisor, at_ms=at_ms),
        triggers=(episode.first,) if last is episode.first else (episode.first, last),
    )


def _is_acknowledged(episode: Episode, events: Iterable[DomainEvent]) -> bool:
    """Tell whether any of the episode's logs was."""
    acknowledged = (event for event in events if event.type == "state-acknowledged")
    return any(episode.covers(event.entity("acknowledgement").text("timestamp")) for event in acknowledged)


RULE = Rule(
    id="escalate",
    on=frozenset({REPORTED}),
    when=is_abnormal,
    key=equipment_in,
    window_ms=DAY_MS,
    until=is_normal,
    after_ms=AFTER_MS,
    needs_context=True,
    expression=escalate,
    emits=frozenset({"state-escalated"}),
)
