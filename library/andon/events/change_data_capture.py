"""Records of a table's stream -> domain events. Database-first: a fact is published if and only if it was written."""

from collections.abc import Iterable, Mapping
from functools import cache, partial
from typing import Any, Literal, NotRequired, TypedDict

from andon.dynamodb.attribute_values import Item, Typed, to_plain
from andon.events.actor import ACTOR
from andon.events.domain_event import DomainEvent
from andon.events.fact import Change, Facts
from andon.events.fault import fault_of
from andon.events.hops import HOPS, tag_of
from andon.events.latch import is_latched
from andon.runtime import clock, strict_json
from andon.runtime.tried import Failed, tried

TTL_SERVICE = "dynamodb.amazonaws.com"


class StreamImages(TypedDict, total=False):
    """A row before and after its change, as typed attribute values; an image is missing where there was no row."""

    SequenceNumber: str
    Keys: Typed
    OldImage: Typed
    NewImage: Typed


class UserIdentity(TypedDict, total=False):
    """The service that removed a row."""

    type: str
    principalId: str


class StreamRecord(TypedDict):
    """One record of a DynamoDB stream, as a Lambda function gets it.

    https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
    """

    eventID: str
    eventName: Literal["INSERT", "MODIFY", "REMOVE"]
    dynamodb: StreamImages
    eventSourceARN: str
    userIdentity: NotRequired[UserIdentity | None]


class Images(TypedDict):
    """The `raw` of an event: the row before and after, as plain values; None where there was none."""

    new: Item | None
    old: Item | None


def events_of(records: Iterable[StreamRecord], *, facts: Facts, tags: Mapping[str, str]) -> dict[int, DomainEvent]:
    """Return the domain events of a stream's records, by the record's number; an unreadable record is a fault."""
    understand, events = partial(event_of, facts=facts, tags=tags), dict[int, DomainEvent]()
    for number, record in enumerate(records):
        event = tried(understand, record)  # pure: it would fail in the same way for ever
        if isinstance(event, Failed):
            body = strict_json.dumps(record)
            event = fault_of(event.error, body, consumer=tags["pipeline"], now_ms=clock.now_ms())
        if event:
            events[number] = event
    return events


def event_of(record: StreamRecord, *, facts: Facts, tags: Mapping[str, str]) -> DomainEvent | None:
    """Return the domain event that a record means, None if it means nothing to others, as that of a latched row."""
    images = record["dynamodb"]
    if is_latched(images.get("NewImage", images.get("OldImage"))):
        return None
    return fact_in(record, facts=facts, tags=tags)


def fact_in(record: StreamRecord, *, facts: Facts, tags: Mapping[str, str]) -> DomainEvent | None:
    """Return the domain event that a record means, latched or not; None if it means nothing to others."""
    images = record["dynamodb"]
    is_expiry = is_ttl_removal(record)
    if not is_expiry and _discriminator_of(images) not in facts.of:
        return None
    old = to_plain(images["OldImage"]) if "OldImage" in images else None
    new = to_plain(images["NewImage"]) if "NewImage" in images else None
    change = Change(record["eventName"], old, new)
    row = change.row
    fact = facts.expiry_of(row) if is_expiry else facts.fact_of(change)
    if fact is None:
        return None
    where, hops = _account_and_region(record["eventSourceARN"]), tag_of(fact.hops or row.get(HOPS))
    raw: Images = {"new": new, "old": old}
    return DomainEvent(
        record["eventID"],  # the same, however often the stream delivers the record
        fact.type,
        fact.timestamp_ms,
        fact.partition_key,
        {fact.entity_name: dict(fact.entity)},
        {**where, **tags, ACTOR: fact.actor, **hops},
        raw,
    )


def _discriminator_of(images: StreamImages) -> Any:  # noqa: ANN401  others may have written anything there
    """Return the row's discriminator without the cost of reading all of its attributes."""
    row = images.get("NewImage") or images.get("OldImage") or {}
    return row.get("discriminator", {}).get("S")


def kind_of(image: object) -> str | None:
    """Return the discriminator of a row by its image in a stream, None where nobody can read it."""
    found = image.get("discriminator") if isinstance(image, Mapping) else None
    kind = found.get("S") if isinstance(found, Mapping) else None
    return kind if isinstance(kind, str) else None


def is_ttl_removal(record: StreamRecord) -> bool:
    """Return True if the TTL service removed the row."""
    if record["eventName"] != "REMOVE":
        return False
    # https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-streams.html
    return (record.get("userIdentity") or {}).get("principalId") == TTL_SERVICE


@cache
def _account_and_region(stream: str) -> Mapping[str, str]:
    """Read both off a stream's ARN: `arn:aws:dynamodb:<region>:<account>:table/…`."""
    _, _, _, region, account, _ = stream.split(":", 5)
    return {"account": account, "region": region}
