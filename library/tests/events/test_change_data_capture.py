from collections.abc import Mapping
from typing import Any

import pytest

from andon.dynamodb.attribute_values import to_typed
from andon.events.actor import author_in
from andon.events.change_data_capture import events_of
from andon.events.fact import Change, Fact, Facts, lifecycle
from toys.clock import NOW

ARN = "arn:aws:dynamodb:eu-west-1:000000000000:table/Things/stream/2020-01-01T00:00:00.000"
TAGS = {"pipeline": "workshop.trigger"}
TTL_SERVICE = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}

Image = Mapping[str, Any] | None


def thing(**attributes: object) -> dict[str, Any]:
    return {"pk": "a thing", "sk": "-", "discriminator": "thing", "timestamp": NOW, **attributes}


def record(
    old: Image, new: Image, *, event_id: str = "r1", identity: Mapping[str, str] | None = None
) -> dict[str, Any]:
    images = {name: to_typed(image) for name, image in (("OldImage", old), ("NewImage", new)) if image is not None}
    kind = "MODIFY" if old and new else "INSERT" if new else "REMOVE"
    written = {
        "eventID": event_id,
        "eventName": kind,
        "dynamodb": {"Keys": to_typed({"pk": "a thing", "sk": "-"}), **images},
        "eventSourceARN": ARN,
    }
    return written if identity is None else {**written, "userIdentity": dict(identity)}


def fact_of(change: Change) -> Fact:
    row = change.row
    return Fact(
        type=lifecycle(change, "thing"),
        timestamp_ms=row["timestamp"],
        partition_key=row["pk"],
        entity_name="thing",
        entity={"id": row["pk"], "colour": row["colour"]},
        actor=author_in(change.new),
    )


FACTS = Facts(
    source="workshop",
    types=frozenset({"thing-created", "thing-updated", "thing-deleted"}),
    of={"thing": fact_of, "quiet": lambda _: None},
)


def published(*records: Any) -> list[Any]:  # noqa: ANN401  what a stream brings
    return [event.to_wire() for event in events_of(list(records), facts=FACTS, tags=TAGS).values()]


def test_a_change_is_published_with_both_images_under_the_id_of_its_record() -> None:
    old, new = thing(colour="red", changedBy="Liz"), thing(colour="blue", changedBy="Sue")

    assert published(record(old, new, event_id="r7")) == [
        {
            "id": "r7",
            "type": "thing-updated",
            "timestamp": NOW,
            "partitionKey": "a thing",
            "tags": {"account": "000000000000", "region": "eu-west-1", "pipeline": "workshop.trigger", "actor": "Sue"},
            "thing": {"id": "a thing", "colour": "blue"},
            "raw": {"new": new, "old": old},
        }
    ]


def test_of_a_removal_nobody_knows_who_it_was() -> None:
    (event,) = published(record(thing(colour="red", changedBy="Liz"), None))

    assert event["tags"]["actor"] == "unknown"


def test_the_removal_of_an_expired_row_is_silent() -> None:
    assert published(record(thing(colour="red"), None, identity=TTL_SERVICE)) == []


@pytest.mark.parametrize(
    "identity",
    [None, {"type": "Service", "principalId": "somebody"}, {"principalId": ""}, {}],
    ids=["a user", "another service", "nobody", "unnamed"],
)
def test_a_removal_by_anybody_else_is_published(identity: Mapping[str, str] | None) -> None:
    (event,) = published(record(thing(colour="red"), None, identity=identity))

    assert event["type"] == "thing-deleted"
    assert event["raw"] == {"new": None, "old": thing(colour="red")}


def test_a_change_by_the_ttl_service_that_is_no_removal_is_published() -> None:
    assert published(record(thing(colour="red"), thing(colour="blue"), identity=TTL_SERVICE)) != []


def test_rows_of_other_discriminators_stay_private() -> None:
    other, none = thing(colour="red") | {"discriminator": "secret"}, {"pk": "a thing", "sk": "-"}

    assert published(record(None, other), record(None, none), record(None, thing() | {"discriminator": "quiet"})) == []


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_record_that_cannot_be_understood_becomes_a_fault_and_its_neighbours_are_published(at: int) -> None:
    records = [record(None, thing(colour="red"), event_id=f"r{number}") for number in range(2)]
    poison = record(None, thing(), event_id="poison")  # it has no colour
    records.insert(at, poison)

    events = published(*records)

    assert [event["type"] for event in events].index("fault") == at
    assert [event["id"] for event in events if event["type"] != "fault"] == ["r0", "r1"]
    fault = events[at]["fault"]
    assert fault["consumer"] == "workshop.trigger"
    assert fault["error"]["name"] == "KeyError"
    assert '"poison"' in fault["message"]


@pytest.mark.parametrize(
    "broken",
    [
        {"dynamodb": {}},
        {"dynamodb": {"NewImage": {"pk": "untyped"}}},
        {"eventSourceARN": "no arn"},
        {"eventName": None, "dynamodb": {"NewImage": to_typed(thing(discriminator=["thing"], colour="red"))}},
        {"dynamodb": {"NewImage": to_typed(thing(colour="red", timestamp="noon", discriminator={"thing": 1}))}},
        {"eventID": None},
    ],
    ids=str,
)
def test_a_record_of_any_other_shape_never_raises(broken: dict[str, Any]) -> None:
    published({**record(None, thing(colour="red")), **broken})


def test_a_fact_that_the_service_does_not_declare_becomes_a_fault() -> None:
    (event,) = published(record(thing(deleted=True, colour="red"), thing(colour="red")))

    assert event["type"] == "fault"
    assert event["fault"]["error"]["message"] == "workshop does not declare thing-undeleted"
