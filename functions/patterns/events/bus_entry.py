"""A domain event on its way over EventBridge: the entry that goes in, the envelope that comes out of a queue."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from patterns.events.domain_event import DomainEvent, WireEvent
from patterns.runtime import strict_json
from patterns.runtime.errors import Poison

# https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html: for one request, the UTF-8 bytes of
# Source, DetailType and Detail added up (we send no Time and no Resources).
MAX_REQUEST_BYTES = 256 * 1024
MAX_REQUEST_ENTRIES = 10


class BusEntry(TypedDict):
    """An entry of PutEvents; `Detail` is the event as JSON text."""

    EventBusName: str
    Source: str
    DetailType: str
    Detail: str


BusEnvelope = TypedDict("BusEnvelope", {"source": str, "detail-type": str, "detail": WireEvent})
"""What consumers read of EventBridge's envelope; beside it stand version, id, account, time, region and resources."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A domain event as it came over the bus, with the service that published it."""

    source: str
    event: DomainEvent


def to_entry(event: DomainEvent, *, source: str, bus: str) -> BusEntry:
    """Return the PutEvents entry of an event."""
    return {
        "EventBusName": bus,
        "Source": source,
        "DetailType": event.type,
        "Detail": strict_json.dumps(event.to_wire()),
    }


def size_of(entry: BusEntry) -> int:
    """Return an entry's size in bytes, as EventBridge counts."""
    return sum(len(text.encode()) for text in (entry["Source"], entry["DetailType"], entry["Detail"]))


def from_message(body: str) -> Delivery:
    """Read the body of a queue's message: EventBridge's envelope around a domain event.

    Raises:
        Poison: it is not JSON, lacks something, or its `detail-type` is not the type of the event within.

    """
    try:
        envelope = strict_json.loads(body)
    except ValueError as error:
        raise Poison(f"not JSON: {error}") from error
    if not isinstance(envelope, dict) or not isinstance(envelope.get("source"), str):
        raise Poison("not an event of EventBridge")
    event = DomainEvent.from_wire(envelope.get("detail"))
    if envelope.get("detail-type") != event.type:
        raise Poison("detail-type is not the type of the event")
    return Delivery(envelope["source"], event)


def to_message(event: DomainEvent, *, source: str, bus_event: Mapping[str, Any] | None = None) -> str:
    """Return the body of the queue's message in which EventBridge delivers an event; `bus_event` adds members to it."""
    envelope: BusEnvelope = {"source": source, "detail-type": event.type, "detail": event.to_wire()}
    return strict_json.dumps({"version": "0", **(bus_event or {}), **envelope})
