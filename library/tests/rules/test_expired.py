"""Rows that say what their end is called, when the TTL service removes them."""

from collections.abc import Mapping
from typing import Any

import pytest

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.events.actor import author_in, with_actor
from andon.events.change_data_capture import events_of
from andon.events.domain_event import DomainEvent
from andon.events.fact import Change, Fact, Facts
from andon.rules.rule import expired
from andon.rules.stored_event import StoredEvent, sort_of
from toys.clock import NOW
from toys.things import happened
from toys.toy_control import KEYS, VARIABLE, Keeper, knocked, room_of, thing_of

ARN = "arn:aws:dynamodb:eu-west-1:000000000000:table/Things/stream/2020-01-01T00:00:00.000"
TTL_SERVICE = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
TTL = NOW // 1000 + 77


def fact_of(change: Change) -> Fact | None:
    row = change.row
    if row.get("private"):
        return None
    return Fact(
        type="offer-made" if change.kind == "INSERT" else "offer-changed",
        timestamp_ms=row["timestamp"],
        partition_key=row["pk"],
        entity_name="offer",
        entity={"price": row["price"]},
        actor=author_in(row),
    )


FACTS = Facts(
    source="workshop",
    types=frozenset({"offer-made", "offer-changed", "offer-expired", "offer-lapsed", "thing-expired", "thing-faded"}),
    of={"offer": fact_of},
    expired=expired,
)


def offer(**attributes: object) -> dict[str, Any]:
    row = {"pk": "an offer", "sk": "-", "discriminator": "offer", "timestamp": NOW, "price": 7, "ttl": TTL}
    return row | attributes


def stored(event: DomainEvent, expire: object, *, correlated: bool = False) -> dict[str, Any]:
    """Return the row of an event, as a service may have written it."""
    one = StoredEvent(
        source="workshop",
        event=event,
        arrived_ms=NOW,
        key="Thing#1",
        sort=sort_of(event.timestamp_ms, event.id),
        ttl=TTL,
        correlated=correlated,
    )
    return {**one.row(KEYS), **({} if expire is None else {"expire": expire})}


def removal(row: Mapping[str, Any] | None, *, by: Mapping[str, str] | None = TTL_SERVICE) -> dict[str, Any]:
    images = {} if row is None else {"OldImage": to_typed(row)}
    record = {"eventID": "r7", "eventName": "REMOVE", "dynamodb": images, "eventSourceARN": ARN}
    return record if by is None else {**record, "userIdentity": dict(by)}


def published(record: Any) -> list[Any]:  # noqa: ANN401  what a stream brings
    return [
        event.to_wire() for event in events_of([record], facts=FACTS, tags={"pipeline": "workshop.trigger"}).values()
    ]


SILENT = [
    *(offer(**asked) for asked in ({}, {"expire": None}, {"expire": False}, {"expire": ""})),
    offer(expire=True, private=True),
    stored(happened("knocked", "a thing"), None),
    None,
]


@pytest.mark.parametrize("row", SILENT, ids=str)
def test_the_end_of_a_row_that_did_not_ask_for_it_or_means_nothing_is_silent(row: dict[str, Any] | None) -> None:
    assert published(removal(row)) == []


def test_the_end_of_a_row_is_what_it_said_last_under_the_name_of_its_entity() -> None:
    row = offer(expire=True, price=9, changedBy="Liz")

    assert published(removal(row)) == [
        {
            "id": "r7",
            "type": "offer-expired",
            "timestamp": TTL * 1000,
            "partitionKey": "an offer",
            "tags": {"account": "000000000000", "region": "eu-west-1", "pipeline": "workshop.trigger", "actor": "ttl"},
            "offer": {"price": 9},
            "raw": {"new": None, "old": row},
        }
    ]


def test_a_row_may_name_its_end() -> None:
    (event,) = published(removal(offer(expire="offer-lapsed")))

    assert (event["type"], event["timestamp"], event["offer"]) == ("offer-lapsed", TTL * 1000, {"price": 7})


@pytest.mark.parametrize(("expire", "expected"), [(True, "thing-expired"), ("thing-faded", "thing-faded")])
def test_the_end_of_an_event_is_what_the_event_said(expire: object, expected: str) -> None:
    event = with_actor(happened("knocked", "a thing", at=NOW - 5, id="e1", room="hall", changedBy="Liz"))

    (end,) = published(removal(stored(event, expire)))

    assert (end["type"], end["id"], end["timestamp"]) == (expected, "r7", TTL * 1000)
    assert (end["partitionKey"], end["thing"]) == ("a thing", {"name": "a thing", "room": "hall", "changedBy": "Liz"})
    assert end["tags"]["actor"] == "ttl"


UNDECLARED = "workshop does not declare "
FAULTS = [
    (offer(expire="offer-cancelled"), UNDECLARED),
    (stored(happened("knocked", "a thing"), "thing-gone"), UNDECLARED),
    *((offer(expire=odd), "") for odd in (7, ["offer-lapsed"], {"type": "offer-lapsed"})),
    (offer(expire=True, discriminator="secret"), ""),
]


@pytest.mark.parametrize(("row", "why"), FAULTS, ids=str)
def test_an_end_that_has_no_name_or_one_that_nobody_declares_is_a_fault(row: dict[str, Any], why: str) -> None:
    (fault,) = published(removal(row))

    assert fault["type"] == "fault"
    assert fault["fault"]["error"]["message"].startswith(why)


@pytest.mark.parametrize("by", [None, {"type": "Service", "principalId": "somebody"}], ids=["a person", "a service"])
def test_who_removes_a_row_before_its_time_does_not_let_it_expire(by: Mapping[str, str] | None) -> None:
    assert [event["type"] for event in published(removal(offer(expire=True), by=by))] == ["offer-changed"]
    assert published(removal(stored(happened("knocked", "a thing"), True), by=by)) == []  # noqa: FBT003  what it asks for


def test_a_row_that_asks_for_it_does_not_expire_when_it_comes_to_be_or_changes() -> None:
    new = to_typed(offer(expire=True))
    created = removal(None) | {"eventName": "INSERT", "dynamodb": {"NewImage": new}}
    changed = removal(None) | {"eventName": "MODIFY", "dynamodb": {"NewImage": new, "OldImage": new}}

    assert [event["type"] for event in published(created) + published(changed)] == ["offer-made", "offer-changed"]


def test_an_event_that_correlates_under_many_keys_ends_once(keeper: Keeper, name: str) -> None:
    keeper.listen(knocked(name, expire="thing-broken"))
    arrivals = keeper.new_records(VARIABLE)
    keeper.trigger(arrivals)
    copies = [record for record in keeper.new_records(VARIABLE) if "event" in record["dynamodb"]["NewImage"]]
    keeper.published()

    keeper.trigger([_reaped(record) for record in arrivals + copies])

    keys = [to_plain(record["dynamodb"]["Keys"])["pk"] for record in arrivals + copies]
    assert sorted(keys) == sorted([thing_of(name), f"{room_of(name)}#list", f"{room_of(name)}#noise"])
    (end,) = keeper.published()
    assert (end["type"], end["thing"]["name"]) == ("thing-broken", name)


def _reaped(record: dict[str, Any]) -> dict[str, Any]:
    images = {"OldImage": record["dynamodb"]["NewImage"], "Keys": record["dynamodb"]["Keys"]}
    return {**record, "eventName": "REMOVE", "dynamodb": images, "userIdentity": TTL_SERVICE}


def test_the_end_of_an_event_is_what_its_entity_said_whatever_other_members_it_had(keeper: Keeper, name: str) -> None:
    event = knocked(name, expire="thing-broken")
    odd = event._replace(entities={"eem": {"fields": []}, **event.entities})

    keeper.listen(odd)
    keeper.trigger([_reaped(record) for record in keeper.new_records(VARIABLE)])

    (end,) = keeper.published()
    assert (end["type"], end["thing"]["name"]) == ("thing-broken", name)


def test_the_end_of_a_stored_event_has_one_hop_more_and_that_of_a_row_the_hops_of_the_row() -> None:
    event = happened("painted", "x")._replace(tags={"hops": "2"})
    rows = [stored(event, "thing-faded"), offer(expire=True, hops=4), offer(expire=True)]

    assert [published(removal(row))[0]["tags"].get("hops") for row in rows] == ["3", "4", None]
