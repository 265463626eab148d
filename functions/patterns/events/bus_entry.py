"""The form a domain event has on the bus, and its way back out of a queue."""

from dataclasses import dataclass
from typing import Any

from patterns.events.domain_event import DomainEvent
from patterns.runtime import strict_json
from patterns.runtime.errors import Poison

# https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html: for one request, the UTF-8 bytes of
# Source, DetailType and Detail added up (we send no Time and no Resources).
MAX_REQUEST_BYTES = 256 * 1024
MAX_REQUEST_ENTRIES = 10

Entry = dict[str, str]


@dataclass(frozen=True, slots=True)
class Delivery:
    """A domain event as it came over the bus, with the service that published it."""

    source: str
    event: DomainEvent


def to_entry(event: DomainEvent, *, source: str, bus: str) -> Entry:
    """Give the PutEvents entry of an event."""
    return {
        "EventBusName": bus,
        "Source": source,
        "DetailType": event.type,
        "Detail": strict_json.dumps(event.to_wire()),
    }


def size_of(entry: Entry) -> int:
    """Count an entry's bytes as EventBridge does."""
    return sum(len(entry[member].encode()) for member in ("Source", "DetailType", "Detail"))


def from_message(body: str) -> Delivery:
    """Read the body of a queue's message: EventBridge's envelope around a domain event.

    Raises:
        Poison: it is not JSON, lacks something, or says one type outside and another inside.

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


def to_message(event: DomainEvent, *, source: str, bus_event: dict[str, Any] | None = None) -> str:
    """Write the body that EventBridge puts into a queue for an event; `bus_event` adds members of its envelope."""
    return strict_json.dumps(
        {"version": "0", **(bus_event or {}), "source": source, "detail-type": event.type, "detail": event.to_wire()}
    )
