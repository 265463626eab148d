import json
from typing import Any

import pytest

from andon.events.domain_event import DomainEvent
from andon.events.fault import MAX_MESSAGE_CHARACTERS, fault_of
from andon.runtime.errors import Poison
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import sqs_event
from andon.testing.log_lines import LogLines
from andon.testing.wire import Parameters, Wire
from andon.views.materialize import materialize
from toys.clock import NOW
from toys.things import VIEW, World, happened, message

BATCH = 10
PLACES = [0, 5, 9]
OUTCOMES = ("applied", "duplicate", "stale", "expired", "compacted", "fault", "failed")


def deliver(*bodies: str) -> list[str]:
    """Deliver a batch; give the ids of the messages that are to come again."""
    answer = materialize(sqs_event(bodies), LocalContext("things-listener"), listener=VIEW)
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
    "an event id of 300 KB": wire_of(GOOD, id="x" * 300_000),
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
def test_a_poison_message_is_a_fault_its_neighbours_are_kept(world: World, name: str, poison: str, at: int) -> None:
    failures = deliver(*batch(name, poison, at))

    assert failures == []
    assert len(rows_of_batch(world, name)) == 9
    (envelope,) = world.new_envelopes()
    assert (envelope["source"], envelope["detail-type"]) == ("things", "fault")
    fault = envelope["detail"]["fault"]
    assert fault["consumer"] == "things.listener"
    assert fault["message"] == poison[:MAX_MESSAGE_CHARACTERS].encode(errors="backslashreplace").decode()


@pytest.mark.parametrize("at", PLACES)
def test_a_batch_with_poison_may_come_again_and_the_fault_has_the_same_id(world: World, name: str, at: int) -> None:
    bodies = batch(name, "not JSON", at)

    deliver(*bodies)
    rows = rows_of_batch(world, name)
    deliver(*bodies)

    assert rows_of_batch(world, name) == rows
    one, other = (envelope["detail"]["id"] for envelope in world.new_envelopes())
    assert one == other == fault_of(Poison(""), "not JSON", consumer="things.listener", now_ms=0).id


@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize("code", ["ThrottlingException", "InternalServerError", "AccessDeniedException"])
def test_a_failure_that_may_pass_gives_back_that_message_only_which_is_applied_when_it_comes_again(
    world: World, name: str, wire: Wire, at: int, code: str
) -> None:
    wire.fail("UpdateItem", code, when=is_about(f"{name}!"), times=1)
    bodies = batch(name, message(happened("painted", f"{name}!", colour="red")), at)

    assert deliver(*bodies) == [f"message-{at}"]
    assert len(rows_of_batch(world, name)) == 9
    assert world.thing(f"{name}!") is None
    assert world.new_envelopes() == []

    assert deliver(bodies[at]) == []
    assert world.thing(f"{name}!") is not None


def test_what_dynamodb_refuses_as_invalid_is_a_fault_for_ever(world: World, name: str, wire: Wire) -> None:
    wire.fail("UpdateItem", "ValidationException", when=is_about(name))

    assert deliver(message(happened("painted", name, colour="red"))) == []

    (envelope,) = world.new_envelopes()
    assert envelope["detail"]["fault"]["error"]["name"] == "Poison"
    assert "Secret" not in json.dumps(envelope["detail"]["fault"]["error"])


@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize("whole", [False, True], ids=["an entry is refused", "the request is"])
def test_a_fault_that_cannot_be_published_gives_back_that_message_only(
    world: World, name: str, wire: Wire, pauses: list[float], at: int, *, whole: bool
) -> None:
    if whole:
        wire.fail("PutEvents", "AccessDeniedException")
    else:
        wire.refuse_entries(lambda _: "InternalFailure")

    assert deliver(*batch(name, "not JSON", at)) == [f"message-{at}"]

    assert len(rows_of_batch(world, name)) == 9
    assert world.new_envelopes() == []
    assert pauses


def test_a_message_without_a_body_does_not_harm_its_neighbours(world: World, name: str) -> None:
    good = message(happened("painted", name, colour="red"))
    event = {"Records": [{"messageId": "hollow"}, {"messageId": "good", "body": good}]}

    answer = materialize(event, LocalContext("things-listener"), listener=VIEW)

    assert answer == {"batchItemFailures": []}
    assert world.thing(name) is not None
    assert [envelope["detail-type"] for envelope in world.new_envelopes()] == ["fault"]


def test_a_line_is_logged_of_what_became_of_a_batch_and_nothing_of_what_it_said(
    world: World, name: str, wire: Wire, log_lines: LogLines
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
