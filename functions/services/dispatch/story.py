"""What happened to a piece of equipment, by episodes: what it reported, who did what about it, when and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contract import times
from patterns.events.domain_event import DomainEvent
from services.dispatch.episodes import Episode, episodes_in
from services.dispatch.reports import is_abnormal, is_normal, is_report, reports_in, time_in


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a story: `episodes` newest first, what was done about logs of none of them, and how far it goes.

    upto: the number of events that it tells of; the next page goes on behind them.
    """

    episodes: tuple[Mapping[str, Any], ...]
    others: tuple[Mapping[str, Any], ...]
    upto: int


def tell(newest_first: Sequence[DomainEvent], *, limit: int, is_end: bool, goes_on: bool) -> Page:
    """Tell a story from its events, newest first, in at most `limit` episodes.

    is_end: there are no older events. goes_on: there are newer ones, which other pages have told.
    """
    upto = _cut(newest_first, limit=limit, is_end=is_end)
    events = tuple(reversed(newest_first[:upto]))
    reports = reports_in(events)
    episodes = episodes_in(reports)
    told = [_episode(episode, events) for episode in episodes]
    # An episode that is longer than what one page reads is told in parts.
    if told and not is_end and upto == len(newest_first) and is_abnormal(reports[0]):
        told[0]["partial"] = True
    if told and goes_on and episodes[-1].recovery is None:
        told[-1]["partial"] = True
    facts = [event for event in events if _is_fact(event)]
    others = [_entry(fact) for fact in facts if not any(episode.covers(_about(fact)) for episode in episodes)]
    return Page(tuple(reversed(told)), tuple(reversed(others)), upto)


def _cut(newest_first: Sequence[DomainEvent], *, limit: int, is_end: bool) -> int:
    """Tell how many events to tell of, so that no episode is torn from its recovery which a page could hold."""
    episodes, is_open, last_normal = 0, False, 0
    for number, event in enumerate(newest_first):
        if is_abnormal(event):
            is_open = True
        elif is_normal(event):
            episodes, is_open, last_normal = episodes + is_open, False, number
            if episodes == limit:
                return number
    return len(newest_first) if is_end else last_normal or len(newest_first)


def _episode(episode: Episode, events: Sequence[DomainEvent]) -> dict[str, Any]:
    its_own = {event.id for event in (*episode.reports, episode.recovery) if event}
    story = [event for event in events if event.id in its_own or (_is_fact(event) and episode.covers(_about(event)))]
    return {
        "startedAt": time_in(episode.first),
        "endedAt": time_in(episode.recovery) if episode.recovery else None,
        "story": [_entry(event) for event in sorted(story, key=_place)],
    }


def _place(event: DomainEvent) -> tuple[int, bool]:
    """Tell of a report before what was done about it in the same millisecond."""
    return event.timestamp, _is_fact(event)


def _is_fact(event: DomainEvent) -> bool:
    return not is_report(event)


def _about(fact: DomainEvent) -> str:
    """Tell the time of the log that a fact is about: an alert is about the one since when it is so."""
    (entity,) = fact.entities.values()
    return str(entity.get("since", entity["timestamp"]))


def _entry(event: DomainEvent) -> dict[str, Any]:
    (entity,) = event.entities.values()
    said = {name: value for name, value in entity.items() if name != "equipmentId"}
    return {"type": event.type, "at": times.to_utc(event.timestamp), "id": event.id, **said}
