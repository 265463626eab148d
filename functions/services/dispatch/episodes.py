"""An episode: from the first abnormal report to the next normal one."""

from collections.abc import Iterable
from typing import NamedTuple

from andon.events.domain_event import DomainEvent
from andon.rules.rule import History
from services.dispatch.reports import is_normal, reports_in, time_in


class Episode(NamedTuple):
    """The known abnormal reports of an episode, in order; `recovery` is the report that ended it, if it has ended."""

    reports: tuple[DomainEvent, ...]
    recovery: DomainEvent | None = None

    @property
    def first(self) -> DomainEvent:
        """The report that it began with."""
        return self.reports[0]

    def covers(self, time: str) -> bool:
        """Return True if the episode covers a log at `time` (fixed-width UTC)."""
        return time_in(self.first) <= time and (self.recovery is None or time < time_in(self.recovery))


def episodes_in(reports: Iterable[DomainEvent]) -> list[Episode]:
    """Split reports, in order, into episodes; normal reports between them belong to none."""
    episodes: list[Episode] = []
    abnormal: list[DomainEvent] = []
    for report in reports:
        if not is_normal(report):
            abnormal.append(report)
        elif abnormal:
            episodes.append(Episode(tuple(abnormal), report))
            abnormal = []
    return [*episodes, Episode(tuple(abnormal))] if abnormal else episodes


def episode_of(history: History) -> Episode | None:
    """Return the episode of a history with an abnormal anchor; None if its beginning is unknown.

    It is unknown if the episode began before all that the rule looks back at. By then, what there was to decide about
    equipment that reports every few minutes has been decided.
    """
    if history.before is not None and not is_normal(history.before):
        return None
    episodes = episodes_in(reports_in(history.events))
    return next(episode for episode in episodes if history.anchor in episode.reports)
