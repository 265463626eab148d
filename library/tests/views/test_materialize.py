import json
from typing import Any

import pytest

from andon.events.domain_event import DomainEvent
from andon.events.fault import fault_of
from andon.runtime.errors import Poison
from andon.testing.lambda_context import LambdaContext
from andon.testing.lambda_events import sqs_event
from andon.views.materialize import interpret, materialize
from andon.wire import in_threads
from tests.support.samples import NOW
from tests.support.wire import Parameters, Wire
from toys.things import ON, VIEW, World, happened, message

BATCH = 10
PLACES = [0, 5, 9]
OUTCOMES = ("applied", "duplicate", "stale", "expired", "compacted", "fault", "failed")


def deliver(*bodies: str) -> list[str]:
    """Deliver a batch; give the ids of the messages that are to come again."""
    answer = materialize(sqs_event(bodies), LambdaContext("things-listener"), listener=VIEW)
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def batch(name: str, poison: str, at: int) -> list[str]:
    """Make nine good messages about things of their own, and another one among them."""
    bodies = [message(happened("painted", f"{name}.{number}", colour="red")) for number in range(BATCH - 1)]
    bodies.insert(at, poison)
    return bodies


def rows_of_batch(world: World, name: str) -> list[dict[str, Any]]:
    """Read the rows of the nine, those that are there."""
    return [row for number in range(BATCH - 1) if (row := world.thing(f"{name}.{number}"))]


def is_about(name: str) -> Any:  # noqa: ANN401
    def about(parameters: Parameters) -> bool:
        return bool(parameters.get("Key") == {"pk": {"S": name}, "sk": {"S": "-"}})

    return about


def wire_of(event: DomainEvent, **members: object) -> str:
    """Write the message of an event with other members."""
    return json.dumps({**json.loads(message(event)), "detail": {**event.to_wire(), **members}})


GOOD = happened("painted", "a thing", colour="red")

POISON = {
    "empty": "",
    "not JSON": "not JSON",
    "NaN": "NaN",
    "JSON, but no object": "[1, 2]",
    "a lone surrogate": '{"source": "\\ud800"}',
    "a surrogate in the text": "\ud800",
    "no envelope": json.dumps(GOOD.to_wire()),
    "no source": json.dumps({"detail-type": GOOD.type, "detail": GOOD.to_wire()}),
    "a source that is no text": json.dumps({"source": 1, "detail-type": GOOD.type, "detail": GOOD.to_wire()}),
    "no detail": json.dumps({"source": "workshop", "detail-type": GOOD.type}),
    "another type outside": json.dumps(
        {"source": "workshop", "detail-type": "thing-weighed", "detail": GOOD.to_wire()}
    ),
    "a type nobody asked for": message(GOOD._replace(type="thing-sold")),
    "another source": message(GOOD).replace('"workshop"', '"elsewhere"'),
    "no id": wire_of(GOOD, id=None),
    "an empty id": wire_of(GOOD, id=""),
    "a number for an id": wire_of(GOOD, id=7),
    "no timestamp": wire_of(GOOD, timestamp=None),
    "a timestamp in text": wire_of(GOOD, timestamp="2020-04-24T14:50:00Z"),
    "a fraction of a millisecond": wire_of(GOOD, timestamp=1.5),
    "true for a timestamp": wire_of(GOOD, timestamp=True),
    "before all time": wire_of(GOOD, timestamp=-1),
    "behind all time": wire_of(GOOD, timestamp=10**13),
    "no entity": wire_of(GOOD, thing=None),
    "an entity that is none": wire_of(GOOD, thing=["name"]),
    "no key": wire_of(GOOD, thing={}),
    "an empty key": wire_of(GOOD, thing={"name": ""}),
    "a number for a key": wire_of(GOOD, thing={"name": 7}),
    "a key over DynamoDB's limit": wire_of(GOOD, thing={"name": "x" * 2049}),
    "a row over DynamoDB's limit": wire_of(GOOD, thing={"name": "a thing", "colour": "x" * 410_000}),
    "nested too deeply to be stored": wire_of(GOOD, thing={"name": "a thing", "colour": "@"}).replace(
        '"@"', "[" * 500 + "]" * 500
    ),
    "nested too deeply for botocore": wire_of(GOOD, thing={"name": "a thing", "colour": "@"}).replace(
        '"@"', "[" * 250 + "]" * 250
    ),
    "nested one level too deep": wire_of(GOOD, thing={"name": "a thing", "colour": "@"}).replace(
        '"@"', "[" * 30 + "]" * 30
    ),
    "nested too deeply to be read": "[" * 100_000,
    "an event id over 256 characters": wire_of(GOOD, id="x" * 257),
    "an event id of 300 KB": wire_of(GOOD, id="x" * 300_000),
    "an event id with a line's end": wire_of(GOOD, id="a\nb"),
    "an endless partition key": wire_of(GOOD, partitionKey="x" * 257),
    "of the year 2100": wire_of(GOOD, timestamp=4_102_444_800_000),
    "of the year 2100, says the bus, too": json.dumps(
        {
            "time": "2100-01-01T00:00:00Z",
            "source": "workshop",
            "detail-type": GOOD.type,
            "detail": {**GOOD.to_wire(), "timestamp": 4_102_444_800_000},
        }
    ),
    "a number of 5,000 digits": wire_of(GOOD, timestamp=1).replace(": 1", ": " + "9" * 5000),
}


@pytest.mark.parametrize(
    ("poison", "at"), [(poison, 1) for poison in POISON.values()] + [("", 0), ("", 9)], ids=[*POISON, "first", "last"]
)
def test_a_poison_message_becomes_a_fault_and_its_neighbours_are_kept(
    world: World, name: str, poison: str, at: int
) -> None:
    failures = deliver(*batch(name, poison, at))

    assert failures == []
    assert len(rows_of_batch(world, name)) == 9
    (envelope,) = world.new_envelopes()
    assert (envelope["source"], envelope["detail-type"]) == ("things", "fault")
    fault = envelope["detail"]["fault"]
    assert fault["consumer"] == "things.listener"
    assert fault["message"] == poison[:40_000].encode(errors="backslashreplace").decode()


@pytest.mark.parametrize("at", PLACES)
def test_a_batch_with_poison_may_come_again_and_the_fault_has_the_same_id(world: World, name: str, at: int) -> None:
    bodies = batch(name, "not JSON", at)

    deliver(*bodies)
    rows = rows_of_batch(world, name)
    deliver(*bodies)

    assert rows_of_batch(world, name) == rows
    one, other = (envelope["detail"]["id"] for envelope in world.new_envelopes())
    assert one == other == fault_of(Poison(""), "not JSON", consumer="things.listener", now_ms=0).id


def test_each_neighbour_of_poison_is_written_once(world: World, name: str, wire: Wire) -> None:
    deliver(*batch(name, "not JSON", 5))

    assert sorted(wire.operations) == ["PutEvents", *["UpdateItem"] * 9]
    assert len(world.new_envelopes()) == 1


@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize(
    "code",
    ["ProvisionedThroughputExceededException", "ThrottlingException", "InternalServerError", "AccessDeniedException"],
)
def test_a_failure_that_may_pass_gives_back_that_message_only(
    world: World, name: str, wire: Wire, at: int, code: str
) -> None:
    wire.fail("UpdateItem", code, when=is_about(f"{name}!"))
    bodies = batch(name, message(happened("painted", f"{name}!", colour="red")), at)

    failures = deliver(*bodies)

    assert failures == [f"message-{at}"]
    assert len(rows_of_batch(world, name)) == 9
    assert world.thing(f"{name}!") is None
    assert world.new_envelopes() == []


def test_what_was_given_back_is_applied_when_it_comes_again(world: World, name: str, wire: Wire) -> None:
    wire.fail("UpdateItem", "ThrottlingException", when=is_about(f"{name}!"), times=1)
    bodies = batch(name, message(happened("painted", f"{name}!", colour="red")), 5)

    assert deliver(*bodies) == ["message-5"]
    assert deliver(bodies[5]) == []

    assert world.thing(f"{name}!") is not None


def test_what_dynamodb_refuses_as_invalid_is_a_fault_as_it_would_be_refused_again(
    world: World, name: str, wire: Wire
) -> None:
    wire.fail("UpdateItem", "ValidationException", when=is_about(name))

    assert deliver(message(happened("painted", name, colour="red"))) == []

    (envelope,) = world.new_envelopes()
    assert envelope["detail"]["fault"]["error"]["name"] == "Poison"
    assert "Secret" not in json.dumps(envelope["detail"]["fault"]["error"])


@pytest.mark.parametrize("at", PLACES)
def test_a_fault_that_cannot_be_published_gives_back_that_message_only(
    world: World, name: str, wire: Wire, pauses: list[float], at: int
) -> None:
    wire.refuse_entries(lambda _: "InternalFailure")

    assert deliver(*batch(name, "not JSON", at)) == [f"message-{at}"]

    assert len(rows_of_batch(world, name)) == 9
    assert world.new_envelopes() == []
    assert pauses


def test_a_message_that_the_bus_itself_does_not_take_comes_again(
    world: World, name: str, wire: Wire, pauses: list[float]
) -> None:
    wire.fail("PutEvents", "AccessDeniedException")

    assert deliver("not JSON", message(happened("painted", name, colour="red"))) == ["message-0"]
    assert world.thing(name) is not None
    assert pauses


def test_a_message_without_a_body_does_not_harm_its_neighbours(world: World, name: str) -> None:
    good = message(happened("painted", name, colour="red"))
    event = {"Records": [{"messageId": "hollow"}, {"messageId": "good", "body": good}]}

    answer = materialize(event, LambdaContext("things-listener"), listener=VIEW)

    assert answer == {"batchItemFailures": []}
    assert world.thing(name) is not None
    assert [envelope["detail-type"] for envelope in world.new_envelopes()] == ["fault"]


@pytest.mark.usefixtures("world")
def test_an_empty_batch_is_answered() -> None:
    assert deliver() == []


def test_a_batch_is_worked_through_in_parallel(
    world: World, name: str, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_threads, "PARALLEL", BATCH)
    in_threads._pool.cache_clear()  # noqa: SLF001
    wire.fail("UpdateItem", "ThrottlingException", when=is_about(f"{name}.3"))

    failures = deliver(*batch(name, "not JSON", 0))
    in_threads._pool.cache_clear()  # noqa: SLF001

    assert failures == ["message-4"]
    assert len(rows_of_batch(world, name)) == 8
    assert len(world.new_envelopes()) == 1


def test_an_event_is_read_tolerantly() -> None:
    body = {
        "version": "0",
        "id": "the envelope's",
        "source": "workshop",
        "detail-type": "thing-painted",
        "time": "2020-04-24T14:50:00Z",
        "detail": {
            "id": "e1",
            "type": "thing-painted",
            "timestamp": 1_587_739_800_000,
            "thing": {"name": "a thing", "colour": "red", "unknown": {"field": 1}},
            "unknown": "entity",
            "tags": None,
        },
    }

    event, update = interpret(json.dumps(body), ON, now_ms=NOW)

    assert event.tags == {"actor": "unknown"}
    assert update.fields["colour"] == "red"


def test_one_event_of_the_year_2100_does_not_mute_what_happens_until_then(world: World, name: str) -> None:
    future = message(happened("painted", name, at=4_102_444_800_000, id="e1", colour="grey"))

    assert deliver(future) == []
    assert deliver(message(happened("painted", name, id="e2", colour="red"))) == []

    row = world.thing(name)
    assert row is not None
    assert row["colour"] == "red"
    assert [envelope["detail-type"] for envelope in world.new_envelopes()] == ["fault"]


def test_a_value_of_as_many_levels_as_a_message_may_have_is_kept(world: World, name: str) -> None:
    body = message(happened("painted", name, gloss="@")).replace('"@"', "[" * 29 + "]" * 29)

    assert deliver(body) == []

    row = world.thing(name)
    assert row is not None
    assert json.dumps(row["gloss"]) == "[" * 29 + "]" * 29


def test_several_updates_of_one_row_in_one_batch_are_one_write(world: World, name: str, wire: Wire) -> None:
    paintings = [message(happened("painted", name, id=f"e{number}", colour=f"c{number}")) for number in (1, 3, 2)]

    assert deliver(*paintings, *paintings) == []

    assert wire.operations == ["UpdateItem"]
    row = world.thing(name)
    assert row is not None
    assert row["colour"] == "c3"


def test_a_line_is_logged_of_what_became_of_a_batch_and_nothing_of_what_it_said(
    world: World, name: str, wire: Wire, log_lines: list[dict[str, Any]]
) -> None:
    def painted(thing: str, **members: Any) -> str:  # noqa: ANN401
        return message(happened("painted", f"{name} {thing}", colour="a secret colour", **members))

    deliver(painted("seen", id="e2"), painted("outdone", id="e2"))
    log_lines.clear()
    wire.fail("UpdateItem", "ThrottlingException", when=is_about(f"{name} failing"))

    deliver(
        painted("new", id="e2", at=NOW - 5),
        painted("new", id="e1", at=NOW - 5),
        painted("seen", id="e2"),
        painted("outdone", id="e1"),
        painted("late", at=0),
        painted("failing"),
        "a secret that is not JSON",
    )

    (line,) = log_lines
    outcomes = {outcome: line[outcome] for outcome in OUTCOMES}
    assert outcomes == dict.fromkeys(OUTCOMES, 1)
    assert sum(outcomes.values()) == line["received"] == 7
    assert line["thing-painted.applied"] == 1
    assert line["lag"] == [5]
    assert line["errors"] == ["Poison", "ThrottlingException"]
    assert "secret" not in json.dumps(line)
    assert len(world.new_envelopes()) == 1
