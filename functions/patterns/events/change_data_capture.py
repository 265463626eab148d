"""Changes of an owned table -> domain events: database-first, so that a fact is told if and only if it was written."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from patterns.dynamodb.attribute_values import Item, to_plain
from patterns.dynamodb.ttl import ATTRIBUTE
from patterns.events.domain_event import DomainEvent
from patterns.events.fault import fault_of
from patterns.events.publish import publish
from patterns.rules.stored_event import EVENT, EXPIRE
from patterns.runtime import clock, strict_json
from patterns.runtime.log import logger
from patterns.runtime.metrics import directive

TTL_SERVICE = "dynamodb.amazonaws.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of one row: its images before and after, None where there was none."""

    kind: Literal["INSERT", "MODIFY", "REMOVE"]
    old: Item | None
    new: Item | None

    @property
    def row(self) -> Item:
        """The row as it is now, or was last."""
        return self.new or self.old or {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What a change means to others; `timestamp` is the epoch milliseconds of the business fact."""

    type: str
    timestamp: int
    partition_key: str
    entity_name: str
    entity: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a service tells the world.

    source: the service. types: every type that it publishes, with a sample each in `events/`.
    of: discriminator -> what a change of such a row means; rows of other discriminators stay private.
    """

    source: str
    types: frozenset[str]
    of: Mapping[str, Callable[[Change], Fact | None]]

    def tell_of(self, images: Mapping[str, Any]) -> bool:
        """Tell whether a row is of a kind that others may hear of, from its images as the stream has them."""
        row = images.get("NewImage") or images.get("OldImage") or {}
        return row.get("discriminator", {}).get("S") in self.of

    def fact_of(self, change: Change) -> Fact | None:
        """Tell what a change means, if it means anything to others.

        Raises:
            ValueError: it means something that this service does not declare.

        """
        decide = self.of.get(change.row.get("discriminator", ""))
        return self._declared(decide(change) if decide else None)

    def expiry_of(self, row: Item) -> Fact | None:
        """Tell that a row was removed because its time was over, if it asked for that: what it said last, as that.

        `expire` on a row is the type of the event, or True: `<entity>-expired`; the timestamp is the row's ttl.

        Raises:
            ValueError: this service does not declare the type.

        """
        asked = row.get(EXPIRE)
        if not asked:
            return None  # most expiry is housekeeping, not a fact
        said = _heard(row) if row["discriminator"] == EVENT else self.of[row["discriminator"]](_insert_of(row))
        if said is None:
            return None
        event_type = f"{said.entity_name}-expired" if asked is True else asked
        return self._declared(replace(said, type=event_type, timestamp=row[ATTRIBUTE] * 1000))

    def _declared(self, fact: Fact | None) -> Fact | None:
        if fact and fact.type not in self.types:
            raise ValueError(f"{self.source} does not declare {fact.type}")
        return fact


def events_of(records: list[dict[str, Any]], *, facts: Facts, tags: Mapping[str, str]) -> list[DomainEvent]:
    """Turn the records of a stream into domain events; a record that cannot be understood becomes a fault."""
    events = []
    for record in records:
        try:
            event = event_of(record, facts=facts, tags=tags)
        except Exception as error:  # noqa: BLE001  this is pure, so that the record would fail in the same way for ever
            event = fault_of(error, strict_json.dumps(record), consumer=tags["pipeline"], now_ms=clock.now_ms())
        if event:
            events.append(event)
    return events


def event_of(record: Mapping[str, Any], *, facts: Facts, tags: Mapping[str, str]) -> DomainEvent | None:
    """Turn one record into the domain event that it means, if it means one."""
    images = record["dynamodb"]
    expired = _is_ttl_removal(record)
    if not expired and not facts.tell_of(images):
        return None
    old, new = (to_plain(images[image]) if image in images else None for image in ("OldImage", "NewImage"))
    change = Change(kind=record["eventName"], old=old, new=new)
    fact = facts.expiry_of(change.row) if expired else facts.fact_of(change)
    if fact is None:
        return None
    return DomainEvent(
        id=record["eventID"],  # the same, however often the stream delivers the record
        type=fact.type,
        timestamp=fact.timestamp,
        partition_key=fact.partition_key,
        entities={fact.entity_name: dict(fact.entity)},
        tags={**_place(record), **tags},
        raw={"new": new, "old": old},
    )


@dataclass(frozen=True, slots=True)
class Told:
    """What became of a batch: the events that were published, faults among them, and the counts of it."""

    events: list[DomainEvent]
    counts: Mapping[str, int]


def publish_changes(event: Mapping[str, Any], context: Any, *, facts: Facts) -> None:  # noqa: ANN401
    """Handle a batch of a stream: raise if not all could be published, so that the batch comes again.

    Partial-batch answers are not relied upon: they would have to name the first failure, and all that follows it
    would come again anyway.
    """
    log_published(tell(event, context, facts=facts), context)


def tell(event: Mapping[str, Any], context: Any, *, facts: Facts) -> Told:  # noqa: ANN401  Lambda's context
    """Publish what a batch of a stream means.

    Raises:
        NotPublished: not all of it could be published.

    """
    tags = {
        "stage": os.environ["STAGE"],
        "source": facts.source,
        "functionname": context.function_name,
        "pipeline": f"{facts.source}.trigger",
    }
    events = events_of(event["Records"], facts=facts, tags=tags)
    done = publish(events, source=facts.source)
    poison = sum(event.type == "fault" for event in events)
    counts = {"records": len(event["Records"]), "published": done.published - poison, "fault": done.faults + poison}
    return Told(events, counts)


def log_published(told: Told, context: Any, *, more: Mapping[str, int] | None = None) -> None:  # noqa: ANN401
    """Write the one line of a trigger's invocation; `more` is what else it counts."""
    counts = {**told.counts, **(more or {})}
    logger().info(
        "published",
        extra={
            "function_request_id": context.aws_request_id,
            **counts,
            "ids": [event.id for event in told.events],
            "_aws": directive(dimension="service", counts=counts, now_ms=clock.now_ms()),
        },
    )


def _insert_of(row: Item) -> Change:
    return Change(kind="INSERT", old=None, new=row)


def _heard(row: Item) -> Fact:
    """Give what an event in the store said."""
    event = DomainEvent.from_wire(row["event"])
    name, entity = next(iter(event.entities.items()))
    return Fact(
        type=event.type,
        timestamp=event.timestamp,
        partition_key=event.partition_key,
        entity_name=name,
        entity=entity,
    )


def lifecycle(change: Change, discriminator: str) -> str:
    """Name the fact that a change of an entity is: `<discriminator>-<created|updated|deleted|undeleted>`."""
    was = bool(change.old) and not (change.old or {}).get("deleted")
    is_there = bool(change.new) and not (change.new or {}).get("deleted")
    if not is_there:
        return f"{discriminator}-deleted"
    return f"{discriminator}-updated" if was else f"{discriminator}-{'undeleted' if change.old else 'created'}"


def _is_ttl_removal(record: Mapping[str, Any]) -> bool:
    identity = record.get("userIdentity") or {}
    # https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-streams.html
    return record["eventName"] == "REMOVE" and identity.get("principalId") == TTL_SERVICE


def _place(record: Mapping[str, Any]) -> dict[str, str]:
    """Read account and region off the stream's ARN: `arn:aws:dynamodb:<region>:<account>:table/…`."""
    _, _, _, region, account, _ = record["eventSourceARN"].split(":", 5)
    return {"account": account, "region": region}
