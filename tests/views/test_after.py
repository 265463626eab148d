"""A row has seen a write or not: the views' declaration agrees with their listeners."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
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
from andon.views.oplocked_fields import OPLOCK
from andon.views.seen import Writes
from andon.views.view_update import On
from andon.views.view_updates import present_in
from contract import after
from demo.people import LIZ, SARA, SUE, TOM
from tests.support.samples import NOW, fact, paths, sample

VIEWS: Final[Mapping[str, tuple[On, Writes, int | None]]] = {
    view.name: (view.load("view").ON, view.load("query").WRITES, view.load("view").TTL_DAYS)
    for view in views()
    if hasattr(view.load("query"), "WRITES")
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
        return Written.of_event(event, name, after.NAMES.get(name, ()))
    of_stream = Fact(
        type=event.type,
        timestamp_ms=event.timestamp_ms,
        partition_key=event.partition_key,
        entity_name=name,
        entity=event.entities[name],
        actor="",
    )
    token = Written.of_fact(of_stream, after.NAMES.get(name, ()), source=event.tags["source"]).to_token()
    return Written.from_token(token)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", WRITTEN_BY_COMMANDS)
def test_a_write_is_looked_for_where_the_listener_keeps_its_event(view: str, name: str) -> None:
    on, writes, _ = VIEWS[view]
    event = fact(name)
    write = written(event)
    keeps = on.get((event.tags["source"], event.type))

    if keeps is None:
        with pytest.raises(ValueError, match="of which nothing is kept here"):
            writes.awaited(write)
        return
    told, [update] = writes.awaited(write).update, present_in(keeps(event))
    for member in ("key", "oplock", "about_ms", "family", "origin"):
        assert getattr(told, member) == getattr(update, member)


@pytest.mark.parametrize("view", VIEWS)
def test_a_forged_token_shows_no_other_partition_than_it_says_and_fails_nowhere(view: str) -> None:
    on, writes, _ = VIEWS[view]
    real = written(fact("state-reported"))

    for source, event_type in on:
        forged = replace(real, source=source, type=event_type, partition_key="another machine")
        try:
            told = writes.awaited(forged)
        except ValueError as error:
            assert "is not a token of a write" in str(error)  # noqa: PT017  or else:
        else:
            assert told.update.key[writes.table.keys.partition] == forged.partition_key


def of_press(name: str, number: int, minute: int, at: int, person: str) -> DomainEvent:
    """Return an event about one machine: at one of few times, about one of few logs, by one of few people."""
    log = f"2020-04-24T14:5{minute}:00.000Z"
    ms = 1_587_739_800_000 + minute * 60_000
    changed: dict[str, dict[str, Any]] = {
        "state-reported": {"at": ms, "timestamp": log, "state": person.upper().replace("-", "_")},
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
    st.sampled_from([LIZ, SUE]),
)


@pytest.fixture(scope="module", params=sorted(VIEWS))
def shop(request: pytest.FixtureRequest) -> Iterator[tuple[OneTable, On, Writes, int | None]]:
    """A view's table in memory, with what the view declares."""
    on, writes, ttl_days = VIEWS[request.param]
    with OneTable(writes.table.variable, writes.table.keys) as table:
        yield table, on, writes, ttl_days


def says(row: Item | None) -> Item | None:
    """Return a row without its oplocks."""
    return row and {name: value for name, value in row.items() if not name.startswith(OPLOCK)}


def _edit_of(event: DomainEvent) -> tuple[object, ...]:
    """Return the subject and time of an event: no clock says the same of two edits of one entity."""
    ((name, entity),) = event.entities.items()
    return name, *(entity.get(part) for part in ("state", "timestamp", "part")), event.timestamp_ms


@given(events=st.lists(EVENTS, min_size=1, max_size=7, unique_by=_edit_of), again=st.booleans(), knows_id=st.booleans())
def test_a_row_that_has_seen_a_write_is_not_changed_by_its_event_and_one_that_took_it_has_seen_it(
    shop: tuple[OneTable, On, Writes, int | None], events: list[DomainEvent], *, again: bool, knows_id: bool
) -> None:
    mine, *others = events
    seen = [*others, mine] if again else others
    table, on, writes, ttl_days = shop
    if (mine.tags["source"], mine.type) not in on:
        return
    table.clear()
    for event in seen:
        _keep(event, on, writes, ttl_days)
    awaited = writes.awaited(written(mine, knows_id=knows_id))
    before = awaited.read()
    had_seen = awaited.is_seen_by(before, now_ms=NOW)
    _keep(mine, on, writes, ttl_days)
    row = awaited.read()

    if had_seen:
        assert says(row) == says(before)
    if says(row) != says(before):
        assert awaited.is_seen_by(row, now_ms=NOW)
    if knows_id or not any(_ties(mine, event) for event in seen):
        assert awaited.is_seen_by(row, now_ms=NOW)


def _keep(event: DomainEvent, on: On, writes: Writes, ttl_days: int | None) -> None:
    keeps = on.get((event.tags["source"], event.type))
    if keeps:
        keeps(event).write(writes.table, event, ttl_days=ttl_days, now_ms=NOW)


def _ties(one: DomainEvent, other: DomainEvent) -> bool:
    return one.timestamp_ms == other.timestamp_ms


def a_report(state: str, at: int) -> DomainEvent:
    return fact(
        "state-reported", id=f"{at:032x}", at=at, timestamp=f"2020-04-24T14:50:00.{at % 1000:03d}Z", state=state
    )


def test_a_report_that_newer_states_push_out_is_not_waited_for() -> None:
    on, writes, _ = VIEWS["board"]
    start = 1_587_739_800_000
    with OneTable(writes.table.variable, writes.table.keys):
        for number in range(16):
            _keep(a_report(f"S{number}", start + 100 + number), on, writes, None)
        late, newer = (writes.awaited(written(a_report("OTHER", start + at))) for at in (1, 200))

        assert late.is_seen_by(late.read(), now_ms=NOW)
        assert not newer.is_seen_by(newer.read(), now_ms=NOW)


@pytest.mark.parametrize("view", VIEWS)
def test_nobody_waits_for_a_write_that_is_older_than_what_the_view_keeps(view: str) -> None:
    on, writes, _ = VIEWS[view]
    event = next(one for one in map(fact, ("state-reported", *SAMPLES)) if (one.tags["source"], one.type) in on)
    awaited = writes.awaited(written(event))
    assert writes.days is not None
    expires = event.timestamp_ms // 1000 * 1000 + writes.days * DAY_MS

    assert not awaited.is_seen_by(None, now_ms=expires - 1)
    assert awaited.is_seen_by(None, now_ms=expires)


def test_a_row_that_has_expired_has_seen_nothing_for_the_next_event_replaces_it() -> None:
    _, writes, _ = VIEWS["state_log"]
    awaited = writes.awaited(written(fact("state-reported")))
    row = {**awaited.update.key, "oplock#reported": "9", "ttl": NOW // 1000}

    assert not awaited.is_seen_by(row, now_ms=NOW)
    assert awaited.is_seen_by({**row, "ttl": NOW // 1000 + 1}, now_ms=NOW)


def two_of_one_millisecond(name: str) -> tuple[DomainEvent, DomainEvent]:
    """Return two facts of which one view has one row and one oplock, the first with the lesser id."""
    logs = {"state": "WARNING1"}, {"state": "WARNING2"}
    said: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "operator-assigned": (logs[0] | {"operator": LIZ}, logs[1] | {"operator": SUE}),
        "state-escalated": (logs[0] | {"supervisor": SARA}, logs[1] | {"supervisor": TOM}),
        "state-acknowledged": (logs[0] | {"acknowledgedBy": LIZ}, logs[1] | {"acknowledgedBy": SUE}),
    }
    one, other = said[name]
    return fact(name, id="a" * 32, at=NOW - 1, **one), fact(name, id="b" * 32, at=NOW - 1, **other)


@pytest.mark.parametrize("name", ["operator-assigned", "state-escalated", "state-acknowledged"])
def test_another_fact_of_the_same_millisecond_is_not_taken_for_the_write(name: str) -> None:
    on, writes, _ = VIEWS["board"]
    assert writes.days is not None
    lesser, greater = two_of_one_millisecond(name)
    with OneTable(writes.table.variable, writes.table.keys):
        loses, wins = (writes.awaited(written(event)) for event in (lesser, greater))

        _keep(lesser, on, writes, None)
        assert loses.is_seen_by(loses.read(), now_ms=NOW)
        assert not wins.is_seen_by(wins.read(), now_ms=NOW)

        _keep(greater, on, writes, None)
        assert wins.is_seen_by(wins.read(), now_ms=NOW)
        assert not loses.is_seen_by(loses.read(), now_ms=NOW)  # until nobody waits for it any more
        assert loses.is_seen_by(loses.read(), now_ms=NOW + writes.days * DAY_MS)
