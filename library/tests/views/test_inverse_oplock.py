from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.expressions import Condition
from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import MAX_TIMESTAMP_MS, DomainEvent
from andon.testing.examples import ON_TABLES
from andon.testing.wire import Wire
from andon.views.inverse_oplock import ATTEMPTS, RowContended, event_order, oplock_attribute, put_if_newer
from andon.views.outcome import Outcome
from andon.views.view_update import ViewUpdate
from toys.clock import NOW
from toys.things import ON, TABLE, TTL_DAYS, TTL_MS, World, happened

ALWAYS = Condition("attribute_not_exists(#no)", {"no": "no such attribute"})
DAY_MS = 86_400_000

_histories = count(1)


def update_of(event: DomainEvent) -> ViewUpdate:
    return ON["workshop", event.type](event)


def apply(event: DomainEvent, *, now_ms: int = NOW, ttl_days: int | None = TTL_DAYS) -> Outcome:
    return put_if_newer(TABLE, update_of(event), event, ttl_days=ttl_days, now_ms=now_ms)


def row_of(events: Sequence[DomainEvent], *, now_ms: int = NOW) -> dict[str, Any] | None:
    """Return the row after `events`, whatever their order: the newest of each set wins."""
    alive = [event for event in events if ttl_at(event.timestamp_ms, TTL_DAYS) > now_ms // 1000]
    if not alive:
        return None
    row: dict[str, Any] = {"sk": "-", "ttl": max(ttl_at(event.timestamp_ms, TTL_DAYS) for event in alive)}
    for event in sorted(alive, key=lambda event: (event.timestamp_ms, event.id)):
        update = update_of(event)
        row |= {"pk": update.key["pk"], **update.key_fields, **update.fields}
        row[oplock_attribute(update.oplock)] = event_order(event)
    return {name: value for name, value in row.items() if value is not None}


colours = st.none() | st.sampled_from(["red", "green", "blue"])
# Few times and few ids, so that many share a time; some so old that they expire on arrival, or the second before.
times = st.sampled_from([NOW - TTL_MS - 1, NOW - TTL_MS, NOW - TTL_MS + 1000, NOW - DAY_MS, NOW - 1, NOW])
ids = st.sampled_from(["a", "b", "z", "é", "￿", "🏭"])
paintings = st.builds(
    lambda at, id_, colour, gloss: happened("painted", "?", at=at, id=id_, colour=colour, gloss=gloss),
    times,
    ids,
    colours,
    st.none() | st.integers(0, 3),
)
weighings = st.builds(
    lambda at, id_, grams: happened("weighed", "?", at=at, id=id_, grams=grams),
    times,
    ids,
    st.none() | st.integers(0, 3),
)
# An id names one fact: two facts of one set never share time and id.
histories = st.lists(
    paintings | weighings, min_size=1, max_size=6, unique_by=lambda event: (event.timestamp_ms, event.id)
)


def of_thing(name: str, event: DomainEvent) -> DomainEvent:
    return event._replace(entities={"thing": {**event.entity("thing").fields, "name": name}})


@ON_TABLES
@given(histories, st.data())
def test_a_row_is_the_same_whatever_order_and_however_often_events_arrive(
    world: World, history: list[DomainEvent], data: st.DataObject
) -> None:
    name = f"history {next(_histories)}"
    events = [of_thing(name, event) for event in history]
    arrivals = data.draw(st.permutations(events + events))

    for event in arrivals:
        apply(event)

    assert world.thing(name) == row_of(events)
    assert Outcome.APPLIED not in {apply(event) for event in events}


def test_orders_are_texts_that_sort_by_time_those_with_what_they_are_about_by_that_first_and_behind_the_others() -> (
    None
):
    early, late = happened("painted", "x", at=999), happened("painted", "x", at=1000)

    assert event_order(early._replace(id="z")) < event_order(late._replace(id="a")) == "0000000001000#a"
    assert event_order(late, 7) < event_order(early, 8) < event_order(late, 8) < event_order(early, 10**12)
    assert event_order(happened("painted", "x", at=MAX_TIMESTAMP_MS)) < event_order(early, 0)
    assert event_order(late, 7) == "about#0000000000007#0000000001000#e1"


def test_each_event_is_recognised_as_applied_duplicate_stale_or_expired(world: World, name: str) -> None:
    newer, older = happened("painted", name, at=NOW, colour="red"), happened("painted", name, at=NOW - 1, id="e0")
    expired = happened("painted", name, at=NOW - TTL_MS)

    assert apply(newer) == Outcome.APPLIED
    assert apply(newer) == Outcome.DUPLICATE
    assert apply(older) == Outcome.STALE
    assert apply(expired) == Outcome.EXPIRED
    assert world.thing(name) == row_of([newer])


LATER = NOW + TTL_MS


def test_a_fact_about_what_has_expired_brings_no_old_field_back_to_life(world: World, name: str, wire: Wire) -> None:
    apply(happened("painted", name, at=NOW, id="e1", colour="red", gloss=3))
    wire.requests.clear()
    event = happened("weighed", name, at=LATER, id="e2", grams=7)

    assert apply(event, now_ms=LATER) == Outcome.APPLIED

    assert wire.operations == ["UpdateItem"] * 2
    assert world.thing(name) == row_of([event])
    assert apply(event, now_ms=LATER) == Outcome.DUPLICATE


@pytest.mark.usefixtures("world")
def test_a_fact_that_is_older_than_one_that_has_expired_in_the_same_row_is_kept(name: str) -> None:
    update = replace(update_of(happened("painted", name, colour="red")), about_ms=NOW)
    event = happened("painted", name, at=NOW)
    put_if_newer(TABLE, update, event, ttl_days=TTL_DAYS, now_ms=NOW)
    late = happened("painted", name, at=NOW + DAY_MS, id="e2")
    older = replace(update_of(late), about_ms=NOW - DAY_MS)

    assert put_if_newer(TABLE, older, late, ttl_days=TTL_DAYS, now_ms=NOW) == Outcome.STALE
    assert put_if_newer(TABLE, older, late, ttl_days=TTL_DAYS, now_ms=LATER) == Outcome.APPLIED


def test_a_row_that_two_replace_at_the_same_time_is_replaced_once(world: World, name: str, wire: Wire) -> None:
    apply(happened("painted", name, at=NOW, colour="red"))
    paint, weight = happened("painted", name, at=LATER, gloss=1), happened("weighed", name, at=LATER, grams=7)
    _before_nth_update(wire, 2, lambda: apply(paint, now_ms=LATER))

    assert apply(weight, now_ms=LATER) == Outcome.APPLIED

    assert world.thing(name) == row_of([paint, weight])


def test_a_row_that_was_ordered_by_the_event_alone_is_healed_by_the_next_event(world: World, name: str) -> None:
    apply(happened("painted", name, at=NOW, id="z", colour="red"))
    update = replace(update_of(happened("painted", name, colour="blue")), about_ms=NOW - DAY_MS)

    outcome = put_if_newer(TABLE, update, happened("painted", name, at=NOW, id="a"), ttl_days=TTL_DAYS, now_ms=NOW)

    assert outcome == Outcome.APPLIED
    assert (world.thing(name) or {})["colour"] == "blue"


def test_slow_data_has_no_ttl_never_expires_and_is_written_by_newer_events_only(world: World, name: str) -> None:
    newer, older = happened("painted", name, at=1, colour="red"), happened("painted", name, at=0, colour="blue")

    outcomes = [apply(event, ttl_days=None) for event in (newer, older, newer)]

    assert outcomes == [Outcome.APPLIED, Outcome.STALE, Outcome.DUPLICATE]
    row = world.thing(name)
    assert row is not None
    assert (row["colour"], row.get("ttl")) == ("red", None)


def test_a_ttl_that_falls_between_two_attempts_costs_another_round_only(world: World, name: str, wire: Wire) -> None:
    apply(happened("painted", name, at=NOW, id="e2", colour="red"))
    _before_nth_update(
        wire, 2, lambda: _set_ttl(name, NOW // 1000 + 1)
    )  # the row goes, and comes again with an older fact

    assert apply(happened("weighed", name, at=NOW - DAY_MS, id="e1", grams=7)) == Outcome.APPLIED

    row = world.thing(name)
    assert row is not None
    assert (row["grams"], row["ttl"]) == (7, ttl_at(NOW - DAY_MS, TTL_DAYS))


def test_a_row_that_is_contended_at_every_attempt_is_given_back(world: World, name: str, wire: Wire) -> None:
    apply(happened("painted", name, at=NOW, id="e2", colour="red"))
    # Always the other one: high when the event wants to raise it, low when it wants to leave it.
    ttls = iter([2_000_000_000, NOW // 1000 + 1] * ATTEMPTS)
    sent = len(wire.requests)
    busy = False

    def disturb() -> None:
        nonlocal busy
        if not busy:
            busy = True
            _set_ttl(name, next(ttls))
            busy = False

    wire.before("UpdateItem", disturb, times=1000)

    with pytest.raises(RowContended):
        apply(happened("weighed", name, at=NOW - DAY_MS, id="e1", grams=7))

    ours = [request for request in wire.requests[sent:] if ":oplock" in str(request.parameters)]
    assert len(ours) == ATTEMPTS
    row = world.thing(name)
    assert row is not None
    assert "grams" not in row


@pytest.mark.parametrize(
    ("before", "event", "requests"),
    [
        ([], happened("painted", "?", id="e1"), 1),
        ([happened("painted", "?", id="e1")], happened("painted", "?", id="e2"), 1),
        ([happened("painted", "?", id="e1")], happened("painted", "?", id="e1"), 1),
        ([happened("painted", "?", id="e1")], happened("painted", "?", at=NOW - 1, id="e1"), 1),
        ([happened("painted", "?", id="e1")], happened("weighed", "?", at=NOW - DAY_MS, id="e1"), 2),
        ([], happened("painted", "?", at=NOW - TTL_MS, id="e1"), 0),
    ],
    ids=["first", "newer", "duplicate", "stale", "older than the row's ttl", "expired"],
)
def test_an_event_costs_one_request_and_two_only_where_a_ttl_must_stay(
    world: World, name: str, wire: Wire, before: list[DomainEvent], event: DomainEvent, requests: int
) -> None:
    assert world.thing(name) is None
    for earlier in before:
        apply(of_thing(name, earlier))
    wire.requests.clear()

    apply(of_thing(name, event))

    assert wire.operations == ["UpdateItem"] * requests


def _set_ttl(name: str, ttl: int) -> None:
    TABLE.update({"pk": name, "sk": "-"}, assign={"ttl": ttl}, condition=ALWAYS)


def _before_nth_update(wire: Wire, number: int, do: Any) -> None:  # noqa: ANN401
    numbers = count(1)
    wire.before("UpdateItem", lambda: do() if next(numbers) == number else None, times=1000)
