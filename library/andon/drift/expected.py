"""The rows that events make, worked out a second way: sort, group, take the last. Pure.

It shares nothing with the listener but what the view declares (`ON` and its upcasters): no conditions, no attempts, no
order of arrival. So a fault of one way is not a fault of the other.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes
from andon.events.bus_entry import MAX_AHEAD_MS, Delivery, from_message
from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters, upcast
from andon.runtime.tried import Failed, tried
from andon.views.view_update import Subscriptions, ViewUpdate
from andon.views.view_updates import updates_in

Key = tuple[tuple[str, str], ...]
"""The attributes of a primary key with their values, sorted."""


class Order(NamedTuple):
    """The place of an event among those under one oplock: the time of its subject counts before its own.

    origin: the service that published it, where versions of a service write the same fields; else empty.
    """

    about_ms: int
    timestamp_ms: int
    origin: str
    id: str

    @classmethod
    def of(cls, event: DomainEvent, update: ViewUpdate) -> "Order":
        """Return the place of an event; without a time that it is about, it lies before those with one."""
        about_ms = -1 if update.about_ms is None else update.about_ms
        return cls(about_ms, event.timestamp_ms, update.origin, event.id)

    @property
    def text(self) -> str:
        """The order as the row has it."""
        about = "" if self.about_ms < 0 else f"about#{self.about_ms:013d}#"
        origin = f"@{self.origin}" if self.origin else ""
        return f"{about}{self.timestamp_ms:013d}{origin}#{self.id}"


class Newest(NamedTuple):
    """The newest event under an oplock, its update, and when the bus took it (epoch milliseconds)."""

    order: Order
    event: DomainEvent
    update: ViewUpdate
    taken_ms: int

    @property
    def attributes(self) -> Attributes:
        """The attributes that the row has of it, None for one that it has not."""
        until = self.update.expires_at
        dated = {} if until is None else {ttl.DATE: until}
        return {**self.update.key_fields, **self.update.fields, **dated}


@dataclass(slots=True)
class ExpectedRow:
    """A row as its events make it.

    newest: by oplock. refused: the orders of events that lay ahead of the bus, which no listener takes, by oplock.
    names: the attributes that any event named, by oplock. latest: the latest date that any said, by oplock; epoch
    seconds. anchored_ms: when the bus took the first event of the anchor.
    """

    key: Attributes
    newest: dict[str, Newest] = field(default_factory=dict)
    refused: dict[str, set[str]] = field(default_factory=dict)
    names: dict[str, set[str]] = field(default_factory=dict)
    latest: dict[str, int] = field(default_factory=dict)
    anchored_ms: int | None = None

    def add(self, one: Newest) -> None:
        """Count an event, whichever came before it."""
        oplock = one.update.oplock
        self.names.setdefault(oplock, set()).update(one.update.fields)
        if one.event.timestamp_ms > one.taken_ms + MAX_AHEAD_MS:
            self.refused.setdefault(oplock, set()).add(one.order.text)
            return
        if one.update.expires_at is not None:
            self.latest[oplock] = max(one.update.expires_at, self.latest.get(oplock, 0))
        known = self.newest.get(oplock)
        if known is None or known.order < one.order:
            self.newest[oplock] = one
        if one.update.anchor and one.update.anchor.oplock == oplock:
            self.anchored_ms = min(one.taken_ms, self.anchored_ms or one.taken_ms)


def expected_rows(
    lines: Iterable[str], *, on: Subscriptions, upcasters: Upcasters, now_ms: int
) -> dict[Key, ExpectedRow]:
    """Return the rows of some events, which are lines of envelopes; others than the view keeps do not count."""
    rows: dict[Key, ExpectedRow] = {}
    for line in lines:
        read = tried(_read, line, on, upcasters, now_ms)
        for one in () if isinstance(read, Failed) else read:  # it became a fault, and is part of no row
            row = rows.setdefault(key_of(one.update.key), ExpectedRow(one.update.key))
            row.add(one)
    return rows


def key_of(key: Attributes) -> Key:
    """Return a key as something that a mapping can have for its own key."""
    return tuple(sorted(key.items()))


def _read(line: str, on: Subscriptions, upcasters: Upcasters, now_ms: int) -> list[Newest]:
    """Return an event with each of its updates of the view; there are none if the view keeps nothing of it.

    Raises:
        Exception: the view cannot read it.

    """
    delivery = from_message(line)
    keep = on.get((delivery.source, delivery.event.type))
    if keep is None:
        return []
    event = upcast(delivery.event, upcasters, source=delivery.source)
    taken_ms = min(_taken_ms(delivery), now_ms)
    return [Newest(Order.of(event, update), event, update, taken_ms) for update in updates_in(keep(event))]


def _taken_ms(delivery: Delivery) -> int:
    """Return the time at which the bus took an event, which every line of the lake has; else the event's own time."""
    return delivery.event.timestamp_ms if delivery.bus_ms is None else delivery.bus_ms
