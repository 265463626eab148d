"""A domain event on its way over EventBridge: the entry that goes in, the envelope that comes out of a queue."""

from datetime import datetime
from functools import lru_cache
from typing import NamedTuple, TypedDict

from andon.events.domain_event import DomainEvent, WireEvent
from andon.runtime import strict_json
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonMapping
from andon.runtime.strict_json import is_whole

# One request has less than 1 MB: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
# That is the UTF-8 bytes of Source, DetailType and Detail added up (we send no Time and no Resources):
# https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html#eb-putevent-size
# A million bytes and no MiB, so that an entry fits into a queue's message of one MiB with EventBridge's envelope around
# it, and with the mark of a replay. A function gets 6 MB at once: https://docs.aws.amazon.com/lambda/latest/dg/limits.html
MAX_REQUEST_BYTES = 1_000_000 - 1
MAX_REQUEST_ENTRIES = 10

# How far an event's time may lie ahead of the bus's: five minutes for the clocks that a service takes times from, and
# one for the bus's own, whose times have whole seconds.
MAX_AHEAD_MS = 6 * 60 * 1000

_BUS_TICK_MS = 1000  # of EventBridge's own times

# The mark of a replayed message, beside the members of EventBridge's envelope; the first is EventBridge's own name.
REPLAY_NAME, LAKE, UNTIL = "replay-name", "lake", "until"


class BusEntry(TypedDict):
    """An entry of PutEvents; `Detail` is the event as JSON text."""

    EventBusName: str
    Source: str
    DetailType: str
    Detail: str


BusEnvelope = TypedDict("BusEnvelope", {"source": str, "detail-type": str, "detail": WireEvent})
"""EventBridge's envelope, as far as consumers read it; version, id, account, time, region, resources stand beside."""


class Replay(NamedTuple):
    """The mark of a message that comes again from the lake, by a queue of one reader and not over the bus.

    until: the epoch second at which the rows that it brings back expire; None: the view is rebuilt, and its rows expire
    when they would have expired anyway.
    """

    name: str
    until: int | None = None


class Delivery(NamedTuple):
    """A domain event as it came over the bus, with the service that published it.

    bus_ms: when the bus took it, in epoch milliseconds; None: the envelope does not say. replay: None for a live one.
    """

    source: str
    event: DomainEvent
    bus_ms: int | None = None
    replay: Replay | None = None

    @property
    def taken_ms(self) -> int:
        """Start of the event's way to a reader, in epoch milliseconds, by the bus's clock where the origin's is off.

        The bus writes whole seconds. An event's own time is exact, and counts where it lies within that second.
        """
        own_ms = self.event.timestamp_ms
        if self.bus_ms is None or self.bus_ms <= own_ms < self.bus_ms + _BUS_TICK_MS:
            return own_ms
        return self.bus_ms


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
    return len(entry["Source"].encode()) + len(entry["DetailType"].encode()) + len(entry["Detail"].encode())


def from_message(body: str) -> Delivery:
    """Read the body of a queue's message: EventBridge's envelope around a domain event.

    Raises:
        Poison: it is not JSON, lacks something, or its `detail-type` is not the type of the event within.

    """
    try:
        envelope = strict_json.loads(body)
    except ValueError as error:
        raise Poison(f"not JSON: {error}") from error
    return from_envelope(envelope)


def from_envelope(envelope: object) -> Delivery:
    """Read EventBridge's envelope around a domain event.

    Raises:
        Poison: it lacks something, or its `detail-type` is not the type of the event within.

    """
    if not isinstance(envelope, dict) or not isinstance(envelope.get("source"), str):
        raise Poison("not an event of EventBridge")
    event = DomainEvent.from_wire(envelope.get("detail"))
    if envelope.get("detail-type") != event.type:
        raise Poison("detail-type is not the type of the event")
    return Delivery(envelope["source"], event, _bus_ms(str(envelope.get("time"))), _replay(envelope))


def require_not_ahead(delivery: Delivery, *, now_ms: int) -> None:
    """Check that the time of an event is one that the bus could know.

    What lies ahead would be newer than everything that happens until then. The envelope's time is compared, so that
    the answer is the same however late the message is read; without one, or if that lies ahead itself, `now_ms`.

    Raises:
        Poison: it lies more than `MAX_AHEAD_MS` ahead.

    """
    taken_ms = now_ms if delivery.bus_ms is None else min(delivery.bus_ms, now_ms)
    if delivery.event.timestamp_ms > taken_ms + MAX_AHEAD_MS:
        raise Poison("timestamp lies ahead of the bus")


@lru_cache(maxsize=16)  # the times of a batch are whole seconds, and few
def _bus_ms(time: str) -> int | None:
    """Return EventBridge's time, as `2026-11-21T09:35:00Z`, in epoch milliseconds."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return None
    return None if moment.tzinfo is None else int(moment.timestamp() * 1000)


def is_replayed(body: str) -> bool:
    """Return True if a message is a replay from the lake, even if nothing else of it can be read."""
    try:
        envelope = strict_json.loads(body)
    except ValueError:
        return False
    return isinstance(envelope, dict) and envelope.get(LAKE) is True


def _replay(envelope: JsonMapping) -> Replay | None:
    """Return an envelope's replay mark; None: live, as is a replay of EventBridge's own archive over the bus."""
    if envelope.get(LAKE) is not True:
        return None
    name, until = envelope.get(REPLAY_NAME), envelope.get(UNTIL)
    if not isinstance(name, str) or not (until is None or is_whole(until)):
        raise Poison("not marked as a replay is")
    return Replay(name, until)


def to_replayed(envelope: JsonMapping, replay: Replay) -> str:
    """Return the body of the message in which an event comes again."""
    until = {} if replay.until is None else {UNTIL: replay.until}
    return strict_json.dumps({**envelope, REPLAY_NAME: replay.name, LAKE: True, **until})


def to_message(event: DomainEvent, *, source: str, bus_event: JsonMapping | None = None) -> str:
    """Return the body of the queue's message in which EventBridge delivers an event; `bus_event` adds members to it."""
    envelope: BusEnvelope = {"source": source, "detail-type": event.type, "detail": event.to_wire()}
    return strict_json.dumps({"version": "0", **(bus_event or {}), **envelope})
