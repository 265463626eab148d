"""Whatever the pages of a story are cut by, together they tell all of it, once, and tear nothing that fits on one."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch
from zlib import crc32

from hypothesis import given, settings
from hypothesis import strategies as st

from andon.events.domain_event import DomainEvent
from andon.rules.micro_event_store import store
from andon.rules.stored_event import StoredEvent, sort_of
from andon.runtime import times
from andon.testing.examples import most
from demo.people import LIZ
from services.dispatch import episode_pages
from services.dispatch.tables import TABLE
from tests.support.dispatch import model
from tests.support.dispatch.floor import Floor
from tests.support.dispatch.model import MINUTE, Report
from tests.support.samples import NOW
from tests.support.services.reports import EPISODES

PRESS = "press-7"
FAR_OFF = (NOW + 24 * 60 * MINUTE) // 1000

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Fact:
    """An action of a time about the log of another one, or an event published since then."""

    at_ms: int
    about_ms: int
    type: str

    @property
    def id(self) -> str:
        """Name its event; among events of one millisecond, by chance, somewhere."""
        return f"{crc32(f'{self.at_ms} {self.about_ms} {self.type}'.encode()):08x}"


Happened = Report | Fact

minutes = st.integers(0, 12).map(lambda minute: NOW + minute * MINUTE)
reports = st.builds(Report, minutes, st.sampled_from(["NORMAL", "NORMAL", "WARNING1", "ERROR"]), st.just(NOW))
facts = st.builds(
    lambda about_ms, later, kind: Fact(about_ms + later * MINUTE, about_ms, kind),
    minutes,
    st.integers(0, 6),
    st.sampled_from(["operator-assigned", "equipment-silent"]),
)
stories = st.lists(reports | facts, max_size=30, unique_by=lambda one: (type(one), one))


def id_of(one: Happened) -> str:
    return one.id if isinstance(one, Fact) else f"{one.state} {one.at_ms}"


def event_of(one: Happened) -> DomainEvent:
    if isinstance(one, Report):
        kind, name = "state-reported", "state"
        said = {"state": one.state, "timestamp": times.to_utc(one.at_ms)}
    elif one.type == "operator-assigned":
        kind, name = one.type, "assignment"
        said = {"state": "ERROR", "timestamp": times.to_utc(one.about_ms), "operator": LIZ}
    else:
        kind, name = one.type, "silence"
        said = {"since": times.to_utc(one.about_ms), "timestamp": times.to_utc(one.at_ms)}
    return DomainEvent(
        id=id_of(one),
        type=kind,
        timestamp_ms=one.at_ms,
        partition_key=PRESS,
        entities={name: {"equipmentId": PRESS, **said}},
    )


def place(one: Happened) -> str:
    return sort_of(one.at_ms, one.state if isinstance(one, Report) else one.id)


def keep(floor: Floor, story: Sequence[Happened]) -> None:
    """Put what happened into the store."""
    floor.table.clear()
    floor.now_ms = NOW
    for one in story:
        source = "equipment" if isinstance(one, Report) else "dispatch"
        kept = StoredEvent(
            source=source,
            event=event_of(one),
            arrived_ms=NOW,
            key=f"Equipment#{PRESS}",
            sort=place(one),
            ttl=FAR_OFF,
        )
        store(TABLE, kept, now_ms=NOW)


def pages(floor: Floor, limit: int) -> Iterator[dict[str, Any]]:
    """Read a story page by page."""
    query = {"limit": str(limit)}
    while True:
        status, page = floor.request(EPISODES, path={"id": PRESS}, query=query)
        assert status == 200
        yield page
        if "cursor" not in page:
            return
        query["cursor"] = page["cursor"]


def told(found: list[dict[str, Any]]) -> Counter[str]:
    """Count how often each event is told of."""
    entries = [entry for page in found for item in page["items"] for entry in item["story"]]
    entries += [entry for page in found for entry in page.get("others", [])]
    return Counter(entry["id"] for entry in entries)


def is_lonely(episode: model.Episode, rows: Sequence[str], size: int) -> bool:
    """Return True if a page is full before it reaches the episode's last report.

    Such a page holds the event that ended it and what was done since that report; pages of a thousand never do.
    """
    return episode.end is not None and rows.index(place(episode.reports[-1])) - rows.index(place(episode.end)) >= size


def rows_of(episode: model.Episode, rows: Sequence[str]) -> int:
    """Count the rows of the store, newest first, from an episode's end, or the newest one, to its beginning."""
    begin = 0 if episode.end is None else rows.index(place(episode.end))
    return rows.index(place(episode.reports[0])) - begin + 1


@settings(max_examples=most(150))
@given(stories, st.integers(1, 8), st.integers(1, 4))
def test_all_pages_together_tell_every_event_once_and_no_episode_that_fits_on_one_is_torn(
    floor: Floor, story: list[Happened], size: int, limit: int
) -> None:
    keep(floor, story)
    with patch.object(episode_pages, "EVENTS_READ", size):
        found = list(pages(floor, limit))

    episodes = model.episodes(sorted(one for one in story if isinstance(one, Report)))
    facts_of = {id_of(one) for one in story if isinstance(one, Fact)}
    its_own = {id_of(one) for episode in episodes for one in episode.reports}
    rows = sorted(map(place, story), reverse=True)
    ends = {id_of(one.end) for one in episodes if one.end and not is_lonely(one, rows, size)}
    assert told(found) == Counter(facts_of | its_own | ends)
    assert all(len(page["items"]) <= limit for page in found)

    items = [item for page in found for item in page["items"]]
    for episode in episodes:
        names = [id_of(one) for one in [*episode.reports, episode.end] if one]
        parts = [item for item in items if {entry["id"] for entry in item["story"]} & set(names)]
        if rows_of(episode, rows) <= size:
            (item,) = parts
            assert [entry["id"] for entry in item["story"] if entry["type"] == "state-reported"] == names
        if len(parts) > 1:
            assert all(part["partial"] for part in parts)


@given(stories)
def test_what_fits_on_one_page_is_in_the_order_of_time_and_nothing_is_partial(
    floor: Floor, story: list[Happened]
) -> None:
    keep(floor, story)

    (page,) = pages(floor, 1_000)

    episodes = model.episodes(sorted(one for one in story if isinstance(one, Report)))
    assert [(item["startedAt"], item["endedAt"]) for item in page["items"]] == [
        (times.to_utc(one.reports[0].at_ms), times.to_utc(one.end.at_ms) if one.end else None)
        for one in reversed(episodes)
    ]
    for item in page["items"]:
        assert "partial" not in item
        assert [entry["at"] for entry in item["story"]] == sorted(entry["at"] for entry in item["story"])
        assert all(is_about(item, entry) for entry in item["story"])
    assert not any(is_about(item, entry) for item in page["items"] for entry in page.get("others", []))


def is_about(item: Item, entry: dict[str, Any]) -> bool:
    """Return True if an event belongs to an episode or to one of its logs; the event that ends it has no log."""
    about, end = entry.get("since", entry["timestamp"]), item["endedAt"] or "9"
    if entry["type"] == "state-reported":
        return bool(item["startedAt"] <= about <= end)
    return bool(item["startedAt"] <= about < end)
