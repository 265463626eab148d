"""A set of fields that two versions of a service write: in the view the same edit wins as in their tables."""

from dataclasses import replace
from itertools import count, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.drift.expected import Order
from andon.events.domain_event import DomainEvent
from andon.events.received import Received
from andon.events.written import Written
from andon.sync.crossing import Edit
from andon.views.compaction import Message, compact
from andon.views.inverse_oplock import event_order, milliseconds_of, oplock_attribute, put_if_newer
from andon.views.outcome import Outcome
from andon.views.seen import Awaited
from andon.views.view_update import ViewUpdate
from toys.clock import NOW
from toys.things import TABLE, TTL_DAYS, World, happened, on_painted

# Names of which one begins another, and ids that would turn the order if they counted first.
ORIGINS = ("shop", "shop-2", "shop2")
PLACES = st.tuples(st.integers(NOW - 1, NOW), st.sampled_from(ORIGINS), st.sampled_from("az~"))

_numbers = count(1)


def painted(name: str, place: tuple[int, str, str]) -> tuple[DomainEvent, ViewUpdate]:
    """Return the event that a thing was painted in one of the services, and what is kept of it."""
    at, origin, event_id = place
    event = happened("painted", name, at=at, id=f"{event_id} of {origin}", colour=f"{place}")
    return event, replace(on_painted(event), origin=origin)


def keep(event: DomainEvent, update: ViewUpdate) -> Outcome:
    return put_if_newer(TABLE, update, event, ttl_days=TTL_DAYS, now_ms=NOW)


@given(st.lists(PLACES, min_size=2, max_size=4, unique_by=lambda place: place[:2]))
def test_the_row_shows_the_edit_that_wins_in_the_tables(world: World, places: list[tuple[int, str, str]]) -> None:
    newest = max(places, key=lambda place: Edit(place[0], place[1]))
    for order in permutations(places):
        name = f"of two origins {next(_numbers)}"
        for place in order:
            keep(*painted(name, place))

        assert (world.thing(name) or {})["colour"] == f"{newest}"


@given(PLACES, PLACES)
def test_texts_of_orders_sort_as_they_are_expected(one: tuple[int, str, str], other: tuple[int, str, str]) -> None:
    (event, update), (other_event, other_update) = painted("x", one), painted("x", other)
    orders = Order.of(event, update), Order.of(other_event, other_update)

    assert orders[0].text == event_order(event, origin=update.origin)
    assert (orders[0] < orders[1]) == (orders[0].text < orders[1].text)
    assert milliseconds_of(orders[0].text) == one[0]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_one_batch_the_edit_that_wins_in_the_tables_is_written(order: tuple[int, int]) -> None:
    edits = [painted("x", (NOW, "shop", "z")), painted("x", (NOW, "shop2", "a"))]
    messages = [Message(Received(f"{number}"), *edits[number]) for number in order]

    [group] = compact(messages)

    assert [message.update.origin for message in group] == ["shop2", "shop"]


def test_a_row_from_before_there_were_two_services_is_healed_by_the_next_event(world: World, name: str) -> None:
    event, update = painted(name, (NOW, "shop", "a"))
    keep(event._replace(id="z"), replace(update, origin=""))

    assert keep(event, update) is Outcome.APPLIED
    assert (world.thing(name) or {})[oplock_attribute("paint")] == f"{NOW:013d}@shop#a of shop"


def test_a_write_is_seen_once_the_row_has_it_or_the_one_that_wins(world: World, name: str) -> None:
    def is_seen(origin: str) -> bool:
        update = ViewUpdate(key={"pk": name, "sk": "-"}, fields={}, oplock="paint", origin=origin)
        written = Written(source=origin, type="painted", entity_name="thing", partition_key=name, timestamp_ms=NOW)
        awaited = Awaited(table=TABLE, written=written, update=update, days=TTL_DAYS)
        return awaited.is_seen_by(world.thing(name), now_ms=NOW)

    keep(*painted(name, (NOW, "shop", "z")))
    assert (is_seen("shop"), is_seen("shop2")) == (True, False)

    keep(*painted(name, (NOW, "shop2", "a")))
    assert (is_seen("shop"), is_seen("shop2")) == (True, True)


@pytest.mark.parametrize("origin", ["a shop", "shop#2", "shöp", "!"])
def test_a_name_that_does_not_sort_within_an_order_is_refused(origin: str) -> None:
    with pytest.raises(ValueError, match="no name of a service"):
        ViewUpdate(key={"pk": "x"}, fields={}, oplock="paint", origin=origin)
