import json
from collections.abc import Collection
from typing import Any

import pytest
from events.test_publish import arrived
from hypothesis import given
from hypothesis import strategies as st

from andon.events.bus_entry import MAX_REQUEST_BYTES, size_of, to_entry
from andon.events.domain_event import DomainEvent
from andon.events.group import MOST_BYTES, cut, details_in
from andon.events.publish import ATTEMPTS, NotPublished, Published, publish, try_publish
from andon.testing.wire import Wire
from toys.things import World, happened

SOURCE = "workshop"


def facts(count: int, *, note: str = "x" * 2_000) -> list[DomainEvent]:
    return [happened("painted", "a thing", id=f"e{number}", note=note) for number in range(count)]


def entries(wire: Wire) -> list[list[list[str]]]:
    """Return the ids in each entry of each request."""
    puts = [request.parameters["Entries"] for request in wire.requests if request.operation == "PutEvents"]
    return [[ids_in(entry) for entry in put] for put in puts]


def ids_in(entry: dict[str, str]) -> list[str]:
    return [json.loads(detail)["id"] for detail in details_in(entry["Detail"])]


def refused(wire: Wire, code: str, ids: Collection[str]) -> None:
    wire.refuse_entries(lambda entry: code if {*ids} & {*ids_in(entry)} else None)


def test_many_facts_go_out_in_few_entries_in_their_order(world: World, wire: Wire) -> None:
    events = facts(100)

    assert publish(events, source=SOURCE) == Published(100, 0)

    [[*groups]] = entries(wire)
    sizes = [len(to_entry(event, source=SOURCE, bus="")["Detail"].encode()) for event in events]
    assert [len(ids) for ids in groups] == [*map(len, cut([event.type for event in events], sizes, source=SOURCE))]
    assert len(groups) == 4
    assert arrived(world) == [event.to_wire() for event in events]


def test_facts_of_types_that_take_turns_share_an_entry_for_each_type(world: World, wire: Wire) -> None:
    events = [happened(("painted", "weighed")[number % 2], "a thing", id=f"e{number}") for number in range(10)]

    assert publish(events, source=SOURCE) == Published(10, 0)

    assert entries(wire) == [[["e0", "e2", "e4", "e6", "e8"], ["e1", "e3", "e5", "e7", "e9"]]]
    assert sorted(event["id"] for event in arrived(world)) == sorted(event.id for event in events)


def test_a_fact_that_goes_alone_is_the_detail_itself(world: World) -> None:
    [event] = facts(1)

    publish([event], source=SOURCE)

    [entry] = world.bus
    assert json.loads(entry["Detail"]) == event.to_wire()
    world.new_messages()


@pytest.mark.usefixtures("each_alone")
def test_without_the_setting_each_fact_has_an_entry_of_its_own(world: World, wire: Wire) -> None:
    publish(facts(12), source=SOURCE)

    assert sorted(len(put) for put in entries(wire)) == [2, 10]
    assert {len(ids) for put in entries(wire) for ids in put} == {1}
    assert len(arrived(world)) == 12


def test_a_group_that_failed_for_now_is_tried_again_as_it_is(world: World, wire: Wire, pauses: list[float]) -> None:
    refused(wire, "InternalFailure", ["e1"])

    with pytest.raises(NotPublished) as raised:
        publish(facts(40), source=SOURCE)

    first, *others = entries(wire)
    assert (len(first), others) == (2, [[first[0]]] * (ATTEMPTS - 1))
    assert raised.value.left == {*range(len(first[0]))}
    assert [event["id"] for event in arrived(world)] == first[1]
    assert pauses


@pytest.mark.parametrize("code", ["MalformedDetail", "ValidationException"])
def test_of_a_group_that_is_refused_for_good_only_the_fact_that_is_the_reason_becomes_a_fault(
    world: World, wire: Wire, pauses: list[float], code: str
) -> None:
    events = facts(12)

    def is_bad(request: dict[str, Any]) -> bool:
        return any("e7" in ids_in(entry) for entry in request["Entries"])

    if code == "ValidationException":
        wire.fail("PutEvents", code, when=is_bad)
    else:
        refused(wire, code, ["e7"])

    assert publish(events, source=SOURCE) == Published(11, 1)

    *others, fault = arrived(world)
    assert {event["id"] for event in others} == {event.id for event in events} - {"e7"}
    assert fault["fault"]["error"] == {"name": "Refused", "message": code}
    assert json.loads(fault["fault"]["message"]) == events[7].to_wire()
    assert len(pauses) <= 1


def test_a_fact_that_is_too_large_for_the_bus_hinders_no_neighbour(world: World) -> None:
    large, *events = facts(3)
    large.entities["thing"]["note"] = "x" * MAX_REQUEST_BYTES

    assert publish([events[0], large, events[1]], source=SOURCE) == Published(2, 1)

    assert [event["id"] for event in arrived(world)][:2] == ["e1", "e2"]


def test_a_fact_that_is_larger_than_a_group_goes_alone(world: World) -> None:
    large, *events = facts(3)
    large.entities["thing"]["note"] = "x" * MOST_BYTES

    publish([events[0], large, events[1]], source=SOURCE)

    assert [len(details_in(entry["Detail"])) for entry in world.bus] == [1, 1, 1]
    assert size_of(world.bus[1]) > MOST_BYTES  # type: ignore[arg-type]
    world.new_messages()


fates = st.sampled_from(["goes"] * 6 + ["fails", "is refused"])


@given(st.lists(st.tuples(st.sampled_from(["painted", "weighed"]), st.sampled_from([10, 20_000]), fates), max_size=30))
def test_every_fact_is_published_once_or_named_and_no_neighbour_of_one_that_is_refused_is_named(
    world: World, plan: list[tuple[str, int, str]]
) -> None:
    events = [happened(kind, fate, id=f"e{number}", note="x" * size) for number, (kind, size, fate) in enumerate(plan)]
    fate_of = {event.id: fate for event, (_, _, fate) in zip(events, plan, strict=True)}

    def code(entry: dict[str, str]) -> str | None:
        found = {fate_of[id_] for id_ in ids_in(entry)}
        return "MalformedDetail" if "is refused" in found else "InternalFailure" if "fails" in found else None

    with Wire() as wire, pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.sleep", lambda _: None)
        wire.refuse_entries(code)
        left = try_publish(events, source=SOURCE)

    sizes = [len(to_entry(event, source=SOURCE, bus="")["Detail"].encode()) for event in events]
    beside = {
        number
        for numbers in cut([event.type for event in events], sizes, source=SOURCE)
        if any(plan[number][2] == "fails" for number in numbers)
        for number in numbers
    }
    published = [event["id"] for event in arrived(world)]
    assert sorted(published) == sorted(event.id for number, event in enumerate(events) if number not in left)
    named = {number for number, (_, _, fate) in enumerate(plan) if fate != "goes"}
    assert named <= left <= named | beside
