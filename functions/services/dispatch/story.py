"""The story of a piece of equipment by episodes: its reports, and the acts upon them with times and reasons. Pure."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypedDict

from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.runtime.json_types import members_of
from andon.runtime.marks import Annotated, Named, NotRequired
from contract.entities.logs import Why
from services.dispatch.episodes import Episode, episodes_in
from services.dispatch.reports import about_in, entity_in, is_abnormal, is_normal, is_report, reports_in, time_in

TRIGGERS = "triggers"


class EntryResponse(Why):
    """An event of an episode: a report, or an act upon it; times are fixed-width UTC.

    `at` is when it was so; `timestamp` is that of the log that it is about, or, of an alert, `at` again.
    `state-reported` comes with `state` and `detail`, `operator-assigned` with `operator`, `state-escalated` with
    `supervisor`, `state-acknowledged` with who and when, and the alerts with `since` and `reason`. `help-requested` has
    the `person` who is asked, and the `chain`; `nobody-found` whom it would `tell`, and who was `asked` then.
    """

    type: str
    at: str
    id: str
    timestamp: str
    state: NotRequired[str]
    detail: NotRequired[str]
    operator: NotRequired[str]
    supervisor: NotRequired[str]
    acknowledgedBy: NotRequired[str]  # noqa: N815  the entity's name
    acknowledgedAt: NotRequired[str]  # noqa: N815  the same
    since: NotRequired[str]
    reason: NotRequired[str]
    what: NotRequired[str]
    chain: NotRequired[str]
    urgency: NotRequired[str]
    person: NotRequired[str]
    tell: NotRequired[str]
    asked: NotRequired[str]


# Taken over from the entity, as text. Events from elsewhere may say more.
TEXTS: Final = EntryResponse.__annotations__.keys() - {"type", "at", "id", TRIGGERS}


class EpisodeStory(TypedDict):
    """From the first abnormal report to the next normal one, which is null as long as there is none.

    `partial`: it is longer than what a page reads; the pages beside have the rest.
    """

    startedAt: str
    endedAt: str | None
    story: list[EntryResponse]
    partial: NotRequired[Literal[True]]


class Others(TypedDict, total=False):
    """Events about logs of no episode on a page."""

    others: list[EntryResponse]


class Episodes(Others):
    """A page, newest first; `others` are acts upon logs of no episode on it; a missing cursor is the end."""

    items: list[Annotated[EpisodeStory, Named("EpisodeResponse", is_said=False)]]
    cursor: NotRequired[str]


class StoryPage(NamedTuple):
    """Part of a story, newest first: episodes, and acts upon logs of none of them.

    upto: the number of events that it covers; the next page goes on behind them.
    """

    episodes: list[EpisodeStory]
    others: list[EntryResponse]
    upto: int


def page_of(newest_first: Sequence[DomainEvent], *, limit: int, is_end: bool, goes_on: bool) -> StoryPage:
    """Return a page of at most `limit` episodes, of events that are whole.

    is_end: there are no older events than these. goes_on: newer ones are on other pages.
    """
    upto = _cut(newest_first, limit=limit, is_end=is_end)
    events = tuple(reversed(newest_first[:upto]))
    reports = reports_in(events)
    episodes = episodes_in(reports)
    stories = [_story_of(episode, events) for episode in episodes]
    # An episode that is longer than what one page reads is split.
    if stories and not is_end and upto == len(newest_first) and is_abnormal(reports[0]):
        stories[0]["partial"] = True
    if stories and goes_on and episodes[-1].recovery is None:
        stories[-1]["partial"] = True
    return StoryPage(episodes=stories[::-1], others=_others(events, episodes)[::-1], upto=upto)


def _cut(newest_first: Sequence[DomainEvent], *, limit: int, is_end: bool) -> int:
    """Return the number of events on the page: an episode and its recovery stay together if one page can hold both."""
    episodes, is_open, last_normal = 0, False, 0
    for number, event in enumerate(newest_first):
        if is_abnormal(event):
            is_open = True
        elif is_normal(event):
            episodes, is_open, last_normal = episodes + is_open, False, number
            if episodes == limit:
                return number
    return len(newest_first) if is_end else last_normal or len(newest_first)


def _story_of(episode: Episode, events: Sequence[DomainEvent]) -> EpisodeStory:
    its_own = {event.id for event in (*episode.reports, episode.recovery) if event}
    story = [event for event in events if event.id in its_own or (_is_fact(event) and episode.covers(log_time(event)))]
    return {
        "startedAt": time_in(episode.first),
        "endedAt": time_in(episode.recovery) if episode.recovery else None,
        "story": [_entry(event) for event in sorted(story, key=_place)],
    }


def _others(events: Sequence[DomainEvent], episodes: Sequence[Episode]) -> list[EntryResponse]:
    facts = filter(_is_fact, events)
    return [_entry(fact) for fact in facts if not any(episode.covers(log_time(fact)) for episode in episodes)]


def _place(event: DomainEvent) -> tuple[int, bool]:
    """Sort key: a report comes before the acts upon it in the same millisecond."""
    return event.timestamp_ms, _is_fact(event)


def _is_fact(event: DomainEvent) -> bool:
    return not is_report(event)


def log_time(event: DomainEvent) -> str:
    """Return the time of a report, or of the log that a fact is about; an alert is about the log of its `since`."""
    entity = entity_in(event)
    return str(entity.get("since") or entity.get("timestamp"))


def _entry(event: DomainEvent) -> EntryResponse:
    entity = entity_in(event)
    about = {"timestamp": about_in(event).optional_text("timestamp")}
    texts = about | {name: entity.optional_text(name) for name in entity.fields if name in TEXTS}
    said = {name: text for name, text in texts.items() if text is not None}
    why = {TRIGGERS: entity.get(TRIGGERS)} if TRIGGERS in entity.fields else {}
    of_event = {"type": event.type, "at": times.to_utc(event.timestamp_ms), "id": event.id}
    return members_of(EntryResponse, {**of_event, **said, **why})
