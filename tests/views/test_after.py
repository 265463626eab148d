"""Whether a row has seen a write: what the views say of it is what their listeners do."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import Item
from andon.events.domain_event import DomainEvent
from andon.events.fact import Fact
from andon.events.written import Written
from andon.packages.discovery import views
from andon.testing.memory.aws import OneTable
from andon.views.oplock_family import OPLOCK
from andon.views.seen import Places
from andon.views.view_update import On
from contract import after
from tests.support.samples import NOW, fact, paths, sample

VIEWS: Final[Mapping[str, tuple[On, Places, int | None]]] = {
    view.name: (view.load("view").ON, view.load("after").PLACES, view.load("view").TTL_DAYS) for view in views()
}
DAY_MS: Final = 86_400_000
SAMPLES: Final = [path.stem for path in paths("domain") if ".v" not in path.stem]
WRITTEN_BY_COMMANDS: Final = [
    name for name in SAMPLES if set(DomainEvent.from_wire(sample("domain", name)).entities) & after.NAMES.keys()
]


def written(event: DomainEvent, *, knows_id: bool = False) -> Written:
    """Return the write of an event, as a command does that does not know the event's id, or does."""
    (name,) = event.entities
    if knows_id:
        return Written.of_event(event, name, after.NAMES[name])
    of_stream = Fact(
        type=event.type,
        timestamp_ms=event.timestamp_ms,
        partition_key=event.partition_key,
        entity_name=name,
        entity=event.entities[name],
        actor="",
    )
    return Written.from_token(Written.of_fact(of_stream, after.NAMES[name]).to_token())


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", WRITTEN_BY_COMMANDS)
def test_a_write_is_looked_for_where_the_listener_keeps_its_event(view: str, name: str) -> None:
    on, places, _ = VIEWS[view]
    event = fact(name)
    write = written(event)
    keeps = on.get((event.tags["source"], event.type))

    if keeps is None:
        assert write.entity_name not in places.of
        return
    place, update = places.of[write.entity_name](write), keeps(event)
    assert (place.key, place.oplock, place.about_ms, place.family, place.origin) == (
        update.key,
        update.oplock,
        update.about_ms,
        update.family,
        update.origin,
    )
    for attribute, value in place.fields.items():
        found = update.fields[attribute]
        assert value == found or value.items() <= found.items()


def of_press(name: str, number: int, minute: int, at: int, person: str) -> DomainEvent:
    """Return an event about one machine: at one of few times, about one of few logs, by one of few people."""
    log = f"2020-04-24T14:5{minute}:00.000Z"
    ms = 1_587_739_800_000 + minute * 60_000
    changed: dict[str, dict[str, Any]] = {
        "state-reported": {"at": ms, "timestamp": log, "state": person.upper()},
        "operator-assigned": {"at": NOW - 9 + at, "timestamp": log, "operator": person},
        "state-escalated": {"at": NOW - 9 + at, "timestamp": log, "supervisor": person},
        "state-acknowledged": {"at": NOW - 9 + at, "timestamp": log, "acknowledgedBy": person},
        "audit-recorded": {"at": NOW - 9 + at, "part": person, "revision": at + 1},
        "equipment-updated": {"at": NOW - 9 + at, "version": at + 2},
        "equipment-deleted": {"at": NOW - 9 + at, "version": at + 2},
    }
    return fact(name, id=f"{number:032x}", **changed[name])


EVENTS = st.builds(
    of_press,
    st.sampled_from(
        [
            "state-reported",
            "operator-assigned",
            "state-escalated",
            "state-acknowledged",
            "audit-recorded",
            "equipment-updated",
            "equipment-deleted",
        ]
    ),
    st.integers(0, 10**6),
    st.integers(0, 1),
    st.integers(0, 2),
    st.sampled_from(["Liz", "Sue"]),
)


@pytest.fixture(scope="module", params=sorted(VIEWS))
def shop(request: pytest.FixtureRequest) -> Iterator[tuple[OneTable, On, Places, int | None]]:
    """A view's table in memory, with what the view declares."""
    on, places, ttl_days = VIEWS[request.param]
    with OneTable(places.table.variable, places.table.keys) as table:
        yield table, on, places, ttl_days


def says(row: Item | None) -> Item | None:
    """Return a row without its oplocks."""
    return row and {name: value for name, value in row.items() if not name.startswith(OPLOCK)}


@given(seen=st.lists(EVENTS, max_size=6), mine=EVENTS, knows_id=st.booleans())
def test_a_row_that_has_seen_a_write_is_not_changed_by_its_event_and_one_that_took_it_has_seen_it(
    shop: tuple[OneTable, On, Places, int | None], seen: list[DomainEvent], mine: DomainEvent, *, knows_id: bool
) -> None:
    table, on, places, ttl_days = shop
    if (mine.tags["source"], mine.type) not in on:
        return
    table.clear()
    for event in seen:
        _keep(event, on, places, ttl_days)
    awaited = places.awaited(written(mine, knows_id=knows_id))
    before = awaited.read()
    had_seen = awaited.is_seen_by(before, now_ms=NOW)
    _keep(mine, on, places, ttl_days)
    row = awaited.read()

    if had_seen:
        assert says(row) == says(before)
    if says(row) != says(before):
        assert awaited.is_seen_by(row, now_ms=NOW)
    if knows_id or not any(_ties(mine, event) for event in seen):
        assert awaited.is_seen_by(row, now_ms=NOW)


def _keep(event: DomainEvent, on: On, places: Places, ttl_days: int | None) -> None:
    keeps = on.get((event.tags["source"], event.type))
    if keeps:
        keeps(event).write(places.table, event, ttl_days=ttl_days, now_ms=NOW)


def _ties(one: DomainEvent, other: DomainEvent) -> bool:
    return one.timestamp_ms == other.timestamp_ms


def a_report(state: str, at: int) -> DomainEvent:
    return fact(
        "state-reported", id=f"{at:032x}", at=at, timestamp=f"2020-04-24T14:50:00.{at % 1000:03d}Z", state=state
    )


def test_a_report_that_newer_states_push_out_is_not_waited_for() -> None:
    on, places, _ = VIEWS["board"]
    start = 1_587_739_800_000
    with OneTable(places.table.variable, places.table.keys):
        for number in range(16):
            _keep(a_report(f"S{number}", start + 100 + number), on, places, None)
        late, newer = (places.awaited(written(a_report("OTHER", start + at))) for at in (1, 200))

        assert late.is_seen_by(late.read(), now_ms=NOW)
        assert not newer.is_seen_by(newer.read(), now_ms=NOW)


@pytest.mark.parametrize("view", VIEWS)
def test_nobody_waits_for_a_write_that_is_older_than_what_the_view_keeps(view: str) -> None:
    _, places, _ = VIEWS[view]
    awaited = places.awaited(written(fact("state-reported")))
    expires = fact("state-reported").timestamp_ms // 1000 * 1000 + places.days * DAY_MS

    assert not awaited.is_seen_by(None, now_ms=expires - 1)
    assert awaited.is_seen_by(None, now_ms=expires)


def test_a_row_that_has_expired_has_seen_nothing_for_the_next_event_replaces_it() -> None:
    _, places, _ = VIEWS["state_log"]
    awaited = places.awaited(written(fact("state-reported")))
    row = {**awaited.place.key, "oplock#reported": "9", "ttl": NOW // 1000}

    assert not awaited.is_seen_by(row, now_ms=NOW)
    assert awaited.is_seen_by({**row, "ttl": NOW // 1000 + 1}, now_ms=NOW)


def two_of_one_millisecond(name: str) -> tuple[DomainEvent, DomainEvent]:
    """Return two facts of which one view has one row and one oplock, the first with the lesser id."""
    logs = {"state": "WARNING1"}, {"state": "WARNING2"}
    said: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "audit-recorded": ({"part": "hydraulics", "revision": 1}, {"part": "brakes", "revision": 1}),
        "operator-assigned": (logs[0] | {"operator": "Liz"}, logs[1] | {"operator": "Sue"}),
        "state-escalated": (logs[0] | {"supervisor": "Sara"}, logs[1] | {"supervisor": "Tom"}),
        "state-acknowledged": (logs[0] | {"acknowledgedBy": "Liz"}, logs[1] | {"acknowledgedBy": "Sue"}),
    }
    one, other = said[name]
    return fact(name, id="a" * 32, at=NOW - 1, **one), fact(name, id="b" * 32, at=NOW - 1, **other)


@pytest.mark.parametrize("name", ["audit-recorded", "operator-assigned", "state-escalated", "state-acknowledged"])
def test_another_fact_of_the_same_millisecond_is_not_taken_for_the_write(name: str) -> None:
    on, places, _ = VIEWS["board"]
    lesser, greater = two_of_one_millisecond(name)
    with OneTable(places.table.variable, places.table.keys):
        loses, wins = (places.awaited(written(event)) for event in (lesser, greater))

        _keep(lesser, on, places, None)
        assert loses.is_seen_by(loses.read(), now_ms=NOW)
        assert not wins.is_seen_by(wins.read(), now_ms=NOW)

        _keep(greater, on, places, None)
        assert wins.is_seen_by(wins.read(), now_ms=NOW)
        assert not loses.is_seen_by(loses.read(), now_ms=NOW)  # until nobody waits for it any more
        assert loses.is_seen_by(loses.read(), now_ms=NOW + places.days * DAY_MS)
