from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest

from andon.dynamodb.expressions import UNCONDITIONAL
from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.rules import micro_event_store
from andon.rules import past as pasts
from andon.rules.micro_event_store import FEW, STORED_WITHIN_MS
from andon.rules.past import Past
from andon.rules.stored_event import BEHIND_ALL, StoredEvent
from andon.runtime import clock
from andon.runtime.errors import CallFailed
from andon.testing.memory.aws import AwsInMemory
from andon.testing.memory.hook import AwsRefused
from andon.testing.wire import Wire
from andon.views.outcome import Outcome
from andon.wire.deadline import ATTEMPT_MS
from toys.clock import NOW
from toys.toy_control import (
    BROKEN,
    HOLD_BACK_MS,
    KEYS,
    KNOCKED,
    TABLE,
    TTL_DAYS,
    TTL_MS,
    VARIABLE,
    Keeper,
    knocked,
    mended,
    on_happened,
    thing_of,
)

PAGE = 4


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read pages of so few events that a test needs not many of them."""
    monkeypatch.setattr(micro_event_store, "PAGE", PAGE)
    monkeypatch.setattr(pasts, "PAGE_OF_PAST", PAGE)


def keep(event: DomainEvent, *, now_ms: int = NOW) -> Outcome:
    return on_happened(event).write(TABLE, event, now_ms=now_ms)


def keep_many(name: str, number: int) -> list[str]:
    """Keep so many events of a thing; give their ids, newest first."""
    events = [knocked(name, at=NOW - older) for older in range(number)]
    for event in events:
        keep(event)
    return [event.id for event in events]


class PastOf:
    """The past of a thing from the end on."""

    def __init__(self, name: str, *, now_ms: int = NOW) -> None:
        self._past = Past(TABLE, thing_of(name), anchors=[BEHIND_ALL], now_ms=now_ms)

    def __iter__(self) -> Iterator[StoredEvent]:
        return self._past.upto(BEHIND_ALL)


def ids(past: PastOf) -> list[str]:
    return [one.event.id for one in past]


def past_of(name: str, *, now_ms: int = NOW) -> PastOf:
    return PastOf(name, now_ms=now_ms)


def queries(wire: Wire) -> list[dict[str, Any]]:
    return [request.parameters for request in wire.requests if request.operation == "Query"]


def test_an_event_is_stored_whole_with_its_arrival(keeper: Keeper, name: str) -> None:
    event = knocked(name, force=9)

    assert keep(event, now_ms=NOW + 7) == Outcome.APPLIED

    (one,) = keeper.events(thing_of(name))
    assert one.event == event
    assert (one.source, one.arrived_ms, one.ttl) == ("workshop", NOW + 7, ttl_at(NOW, TTL_DAYS))


def test_whom_an_event_follows_is_settled_by_the_query_made_anyway(keeper: Keeper, name: str, wire: Wire) -> None:
    older, event = knocked(name, at=NOW - 1_000), knocked(name)
    keep(older)
    wire.requests.clear()

    on_happened(event)._replace(gap_ms=1_000).write(TABLE, event, now_ms=NOW)

    assert [query["Limit"] for query in queries(wire)] == [FEW]
    row = keeper.partition(thing_of(name))[-1]
    assert (row["follows"], row.get("unsteady")) == (NOW - 1_000, None)
    assert keeper.events(thing_of(name))[-1].follows_ms == NOW - 1_000


def test_what_is_newer_is_read_page_by_page_down_to_the_event(keeper: Keeper, name: str, wire: Wire) -> None:
    keep_many(name, FEW + 1)
    keep(knocked(name, at=NOW - 1_000))
    wire.requests.clear()

    event = knocked(name, at=NOW - 500)
    on_happened(event)._replace(gap_ms=1_000).write(TABLE, event, now_ms=NOW)

    assert [query["Limit"] for query in queries(wire)] == [FEW, PAGE]
    assert keeper.events(thing_of(name))[1].follows_ms == NOW - 1_000


def test_an_event_that_is_unsteady_is_read_back_so(keeper: Keeper, name: str) -> None:
    for at in (NOW - 1, NOW):
        event = knocked(name, at=at)
        on_happened(event)._replace(gap_ms=1_000).write(TABLE, event, now_ms=NOW + 30_500)

    assert [(one.follows_ms, one.unsteady) for one in keeper.events(thing_of(name))] == [(None, False), (NOW - 1, True)]


def test_storing_an_event_again_changes_neither_the_table_nor_the_stream(keeper: Keeper, name: str) -> None:
    keep(knocked(name), now_ms=NOW)
    before = keeper.partition(thing_of(name))
    assert len(keeper.new_records(VARIABLE)) == 1

    assert keep(knocked(name), now_ms=NOW + 1_000) == Outcome.DUPLICATE

    assert keeper.partition(thing_of(name)) == before
    assert keeper.new_records(VARIABLE) == []


def test_one_fact_under_two_ids_is_stored_once_and_the_first_one_stays(keeper: Keeper, name: str) -> None:
    assert keep(knocked(name, id="e2", hand="left")) == Outcome.APPLIED
    assert keep(knocked(name, id="e1", hand="left")) == Outcome.DUPLICATE
    assert keep(knocked(name, id="e3", hand="right")) == Outcome.APPLIED

    assert [one.event.id for one in keeper.events(thing_of(name))] == ["e2", "e3"]


@pytest.mark.parametrize(("at", "outcome"), [(NOW - TTL_MS + 1000, "applied"), (NOW - TTL_MS, "expired")])
def test_an_event_expires_on_arrival_in_the_second_of_its_ttl(keeper: Keeper, name: str, at: int, outcome: str) -> None:
    assert keep(knocked(name, at=at)) == outcome

    assert bool(keeper.events(thing_of(name))) == (outcome == "applied")


@pytest.mark.usefixtures("keeper")
def test_an_event_costs_a_query_of_what_is_newer_and_a_put_and_nothing_if_it_has_expired(name: str, wire: Wire) -> None:
    keep(knocked(name))
    keep(knocked(name))
    keep(knocked(name, at=NOW - TTL_MS))

    assert wire.operations == ["Query", "PutItem"] * 2


@pytest.mark.usefixtures("keeper")
def test_a_past_reads_its_pages_consistently_and_only_as_far_as_somebody_looks(name: str, wire: Wire) -> None:
    expected = keep_many(name, 2 * PAGE + 1)
    wire.requests.clear()

    past = past_of(name)
    assert queries(wire) == []
    newest = iter(past)
    assert [next(newest).event.id for _ in range(PAGE)] == expected[:PAGE]
    assert len(queries(wire)) == 1
    assert next(newest).event.id == expected[PAGE]
    assert len(queries(wire)) == 2
    assert ids(past) == expected
    assert len(queries(wire)) == 3

    assert all(query["ConsistentRead"] is True for query in queries(wire))
    assert {query["Limit"] for query in queries(wire)} == {PAGE}
    assert set(wire.operations) == {"Query"}


@pytest.mark.usefixtures("keeper")
def test_nobody_sees_what_has_expired_although_it_is_still_there(name: str) -> None:
    keep(knocked(name, at=NOW))
    keep(knocked(name, at=NOW - 1_000))

    assert len(ids(past_of(name, now_ms=NOW + TTL_MS - 1_000 - 1))) == 2
    assert len(ids(past_of(name, now_ms=NOW + TTL_MS - 1_000))) == 1
    assert ids(past_of(name, now_ms=NOW + TTL_MS)) == []


@pytest.mark.usefixtures("keeper")
def test_a_page_of_nothing_but_expired_events_is_not_the_end(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pasts, "PAGE_OF_PAST", 1)
    for number, ttl in enumerate([0, 0, 2 * NOW]):
        event = knocked(name, at=NOW - number)
        one = on_happened(event).stored(event, arrived_ms=NOW)
        TABLE.put({**one.row(KEYS), "ttl": ttl}, condition=UNCONDITIONAL)

    assert [one.event.timestamp_ms for one in past_of(name)] == [NOW - 2]


@pytest.mark.usefixtures("keeper")
def test_a_past_has_only_events_in_it_and_only_those_of_its_key(name: str) -> None:
    keep(knocked(name))
    keep(knocked(f"{name}0"))
    for sort in ("event", "evens#1", "evenu#1", "eventual", "decision#a#b", "owner"):
        TABLE.put(KEYS.of(thing_of(name), sort), condition=UNCONDITIONAL)

    assert ids(past_of(name)) == [knocked(name).id]


@pytest.mark.usefixtures("keeper")
def test_a_past_that_could_not_be_read_to_its_end_is_never_taken_for_a_shorter_one(name: str, wire: Wire) -> None:
    expected = keep_many(name, PAGE + 1)
    past = past_of(name)
    wire.fail("Query", "InternalServerError", when=lambda query: "ExclusiveStartKey" in query, times=1)

    with pytest.raises(Exception, match="InternalServerError"):
        ids(past)

    assert ids(past) == expected


def test_whether_an_event_is_late_is_settled_when_it_is_stored_and_never_changes(keeper: Keeper, name: str) -> None:
    keep(knocked(name, at=NOW), now_ms=NOW)
    keep(knocked(name, at=NOW - 1), now_ms=NOW + HOLD_BACK_MS)
    keep(knocked(name, at=NOW - 2), now_ms=NOW + HOLD_BACK_MS + 1)
    keep(knocked(name, at=NOW + 1), now_ms=NOW + HOLD_BACK_MS + 1)

    late = {one.event.timestamp_ms - NOW: one.late_by for one in keeper.events(thing_of(name))}
    assert late == {-2: {KNOCKED}, -1: set(), 0: set(), 1: set()}


def test_an_event_of_another_topic_makes_late_only_for_rules_that_are_on_both(keeper: Keeper, name: str) -> None:
    keep(mended(name, at=NOW), now_ms=NOW)
    keep(knocked(name, at=NOW - 1), now_ms=NOW + HOLD_BACK_MS + 1)

    one, _ = keeper.events(thing_of(name))
    assert one.late_by == {("workshop", "thing-mended")}
    assert not BROKEN.is_late(one)
    assert BROKEN._replace(on=frozenset({KNOCKED, ("workshop", "thing-mended")})).is_late(one)


@pytest.mark.usefixtures("pauses", "keeper")
def test_an_event_whose_put_takes_too_long_is_not_stored_with_an_old_arrival_but_comes_again(name: str) -> None:
    attempts = []

    def slow(*_: object) -> None:
        attempts.append(clock.now_ms())
        time.return_value += 2_000
        raise AwsRefused("InternalServerError", status=500)

    with (
        patch("andon.runtime.clock.now_ms", return_value=NOW) as time,
        patch.object(AwsInMemory, "_write", slow),
        pytest.raises(CallFailed, match="BegunTooLate"),
    ):
        keep(knocked(name))

    assert attempts == [NOW, NOW + 2_000]  # the third would have begun 4 s after the arrival
    assert all(attempt + ATTEMPT_MS < NOW + STORED_WITHIN_MS for attempt in attempts)
