import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.bus_entry import MAX_REQUEST_BYTES, MAX_REQUEST_ENTRIES, size_of, to_entry
from andon.events.domain_event import DomainEvent
from andon.events.fault import fault_of
from andon.events.publish import ATTEMPTS, NotPublished, Published, chunks, publish, try_publish
from andon.testing.wire import Wire
from toys.clock import NOW
from toys.things import World, happened

TRANSIENT = ["ThrottlingException", "InternalFailure", "InternalException", "AccessDeniedException"]
FOR_GOOD = [
    *("InvalidAccountIdException", "InvalidArgument", "MalformedDetail", "NotAuthorizedForDetailTypeException"),
    *("NotAuthorizedForSourceException", "RedactionFailure"),
]


pytestmark = pytest.mark.usefixtures("each_alone")


def painted(count: int) -> list[DomainEvent]:
    return [happened("painted", "a thing", id=f"e{number}") for number in range(count)]


def id_of(entry: dict[str, str]) -> str:
    id_: str = json.loads(entry["Detail"])["id"]
    return id_


def arrived(world: World) -> list[dict[str, Any]]:
    return [json.loads(body)["detail"] for body in world.new_messages()]


def tried(wire: Wire) -> list[list[str]]:
    """Return the ids of each PutEvents, in order."""
    return [
        [id_of(entry) for entry in request.parameters["Entries"]]
        for request in wire.requests
        if request.operation == "PutEvents"
    ]


@given(
    st.lists(
        st.integers(3, 60_000)
        | st.sampled_from([MAX_REQUEST_BYTES // 2, MAX_REQUEST_BYTES // 2 + 1, MAX_REQUEST_BYTES]),
        max_size=25,
    )
)
def test_requests_stay_within_both_limits_and_carry_every_entry_once_in_order(sizes: list[int]) -> None:
    requests = list(chunks(dict(enumerate(sizes))))

    assert [number for request in requests for number in request] == list(range(len(sizes)))
    for request in requests:
        assert 1 <= len(request) <= MAX_REQUEST_ENTRIES
        assert sum(sizes[number] for number in request) <= MAX_REQUEST_BYTES


@given(st.lists(st.integers(3, 60_000), max_size=25))
def test_no_two_requests_could_have_been_one(sizes: list[int]) -> None:
    requests = list(chunks(dict(enumerate(sizes))))

    for request, following in pairwise(requests):
        together = sum(sizes[number] for number in [*request, following[0]])
        assert len(request) == MAX_REQUEST_ENTRIES or together > MAX_REQUEST_BYTES


def test_an_entry_is_measured_in_utf8_bytes_as_eventbridge_does() -> None:
    assert size_of({"EventBusName": "long" * 100, "Source": "é", "DetailType": "工", "Detail": "🏭"}) == 2 + 3 + 4


def test_many_events_go_out_in_requests_of_ten(world: World, wire: Wire) -> None:
    done = publish(painted(23), source="workshop")

    assert done == Published(23, 0)
    assert sorted(len(ids) for ids in tried(wire)) == [3, 10, 10]
    assert sorted(event["id"] for event in arrived(world)) == sorted(f"e{number}" for number in range(23))


def test_an_event_travels_with_its_source_and_its_type(world: World) -> None:
    event = happened("painted", "a thing", colour="°")

    publish([event], source="workshop")

    (body,) = world.new_messages()
    envelope = json.loads(body)
    assert (envelope["source"], envelope["detail-type"]) == ("workshop", "thing-painted")
    assert envelope["detail"] == event.to_wire()


@pytest.mark.parametrize("code", TRANSIENT)
def test_only_the_entries_that_failed_are_tried_again(world: World, wire: Wire, pauses: list[float], code: str) -> None:
    failures = Counter({"e2": 1, "e5": 2})

    def fail(entry: dict[str, str]) -> str | None:
        if failures[id_of(entry)]:
            failures[id_of(entry)] -= 1
            return code
        return None

    wire.refuse_entries(fail)

    done = publish(painted(8), source="workshop")

    assert done == Published(8, 0)
    assert tried(wire) == [[f"e{number}" for number in range(8)], ["e2", "e5"], ["e5"]]
    assert sorted(event["id"] for event in arrived(world)) == [f"e{number}" for number in range(8)]
    assert len(pauses) == 2


def test_the_pauses_between_attempts_grow_and_are_short(world: World, wire: Wire, pauses: list[float]) -> None:
    wire.refuse_entries(lambda _: "ThrottlingException")

    with pytest.raises(NotPublished):
        publish(painted(1), source="workshop")

    assert arrived(world) == []
    assert 0.05 <= pauses[0] <= 0.15
    assert 0.1 <= pauses[1] <= 0.3


def test_entries_that_fail_at_every_attempt_make_the_batch_come(world: World, wire: Wire, pauses: list[float]) -> None:
    wire.refuse_entries(lambda entry: "InternalFailure" if id_of(entry) == "e1" else None)

    with pytest.raises(NotPublished):
        publish(painted(3), source="workshop")

    assert tried(wire) == [["e0", "e1", "e2"], *[["e1"]] * (ATTEMPTS - 1)]
    assert [event["id"] for event in arrived(world)] == ["e0", "e2"]
    assert pauses


@pytest.mark.parametrize("code", FOR_GOOD)
def test_an_entry_that_is_refused_for_good_is_a_fault_and_not_tried_again(world: World, wire: Wire, code: str) -> None:
    wire.refuse_entries(lambda entry: code if id_of(entry) == "e1" else None)
    events = painted(3)

    done = publish(events, source="workshop")

    assert done == Published(2, 1)
    assert [ids for ids in tried(wire) if "e1" in ids] == [["e0", "e1", "e2"]]
    *others, fault = arrived(world)
    assert [event["id"] for event in others] == ["e0", "e2"]
    assert fault["type"] == "fault"
    assert fault["fault"]["error"] == {"name": "Refused", "message": code}
    assert json.loads(fault["fault"]["message"]) == events[1].to_wire()


def test_an_event_over_the_limit_becomes_a_fault_without_being_sent(world: World, wire: Wire) -> None:
    large, small = painted(2)
    large.entities["thing"]["note"] = "x" * MAX_REQUEST_BYTES

    done = publish([large, small], source="workshop")

    assert done == Published(1, 1)
    assert "e0" not in [id_ for ids in tried(wire) for id_ in ids]
    fault = arrived(world)[-1]
    assert fault["fault"]["error"] == {"name": "Refused", "message": "EntryTooLarge"}
    assert fault["fault"]["truncated"] is True


def test_of_a_request_that_is_refused_as_a_whole_only_the_entry_that_is_the_reason_becomes_a_fault(
    world: World, wire: Wire, pauses: list[float]
) -> None:
    wire.fail("PutEvents", "ValidationException", when=lambda request: "e1" in map(id_of, request["Entries"]))

    done = publish(painted(12), source="workshop")

    assert done == Published(11, 1)
    assert len(pauses) == 1
    *others, fault = arrived(world)
    assert {event["id"] for event in others} == {f"e{number}" for number in range(12)} - {"e1"}
    assert fault["fault"]["error"] == {"name": "Refused", "message": "ValidationException"}


@pytest.mark.usefixtures("pauses")
@pytest.mark.parametrize(("code", "said"), [("ValidationException", None), ("AccessDeniedException", "AccessDenied")])
def test_a_bus_that_refuses_every_request_loses_nothing(world: World, wire: Wire, code: str, said: str | None) -> None:
    wire.fail("PutEvents", code)

    with pytest.raises(NotPublished, match=said):
        publish(painted(3), source="workshop")

    assert arrived(world) == []


@pytest.mark.parametrize("character", ["x", "é", "工", "🏭"])
def test_the_limit_lies_between_one_byte_and_the_next(world: World, wire: Wire, character: str) -> None:
    frame = size_of(to_entry(happened("painted", "a thing", note=""), source="workshop", bus=""))
    room = MAX_REQUEST_BYTES - frame
    note = character * (room // len(character.encode()))
    note += "x" * (room - len(note.encode()))

    assert publish([happened("painted", "a thing", note=note)], source="workshop") == Published(1, 0)
    assert publish([happened("painted", "a thing", note=note + "x")], source="workshop") == Published(0, 1)
    assert [event["type"] for event in arrived(world)] == ["thing-painted", "fault"]
    assert len(tried(wire)) == 2


def test_a_fault_that_is_refused_is_raised_and_never_faults_without_end(world: World, wire: Wire) -> None:
    wire.refuse_entries(lambda _: "MalformedDetail")

    with pytest.raises(NotPublished):
        publish(painted(1), source="workshop")

    assert arrived(world) == []
    assert len(tried(wire)) == 2


def test_a_published_fault_that_is_refused_is_raised_too(world: World, wire: Wire) -> None:
    fault = fault_of(ValueError("no"), "a message", consumer="things.listener", now_ms=NOW)
    wire.refuse_entries(lambda entry: "NotAuthorizedForSourceException" if id_of(entry) == fault.id else None)

    with pytest.raises(NotPublished):
        publish([fault], source="things")

    assert arrived(world) == []


def test_a_request_that_fails_as_a_whole_holds_up_no_other_one(world: World, wire: Wire, pauses: list[float]) -> None:
    wire.fail("PutEvents", "InternalException", times=1)

    assert publish(painted(12), source="workshop") == Published(12, 0)

    assert [len(ids) for ids in tried(wire)] == [10, 2, 10]
    assert len(arrived(world)) == 12
    assert len(pauses) == 1


def test_try_publish_returns_what_was_not_published_and_makes_no_fault(
    world: World, wire: Wire, pauses: list[float]
) -> None:
    codes = {"e1": "MalformedDetail", "e3": "InternalFailure"}
    wire.refuse_entries(lambda entry: codes.get(id_of(entry)))
    events = painted(5)
    events[4].entities["thing"]["note"] = "x" * MAX_REQUEST_BYTES

    assert try_publish(events, source="workshop") == {1, 3, 4}

    assert [event["id"] for event in arrived(world)] == ["e0", "e2"]
    assert pauses


@pytest.mark.usefixtures("world")
def test_try_publish_returns_all_numbers_when_the_bus_takes_none(wire: Wire, pauses: list[float]) -> None:
    wire.fail("PutEvents", "ThrottlingException")

    assert try_publish(painted(12), source="workshop") == set(range(12))
    assert try_publish([], source="workshop") == set()
    assert pauses
