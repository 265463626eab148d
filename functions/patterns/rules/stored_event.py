"""An event in a micro event store: a row of its own, in the order of time beside those it correlates with. Pure.

| pk | sk | row |
|---|---|---|
| correlation key | `event#<13-digit ms>#<identity>` | `StoredEventRow` |
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NotRequired, TypedDict, cast

from patterns.dynamodb.attribute_values import Item
from patterns.dynamodb.keys import SEPARATOR, prefix, require_part, within_limit
from patterns.dynamodb.schema import Keys
from patterns.events.domain_event import DomainEvent

EVENT: Final = "event"
CORRELATED: Final = "correlated"

PREFIX: Final = prefix(EVENT)
"""How the sort keys of events begin, and no others."""

EXPIRE: Final = "expire"

CorrelationKey = str
"""The partition in which a rule finds an event beside those that it correlates with, see `correlation_key`."""


class StoredEventRow(TypedDict):
    """The attributes of a stored event, its primary key aside.

    discriminator: `event`, or `correlated` for a copy under a further key. event: the event on the wire, without its
    `raw`. arrived: epoch milliseconds. ttl: epoch seconds. expire: see `StoredEvent`.
    """

    discriminator: Literal["event", "correlated"]
    source: str
    event: Mapping[str, Any]
    arrived: int
    ttl: int
    expire: NotRequired[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """An event as it lies in the store, under its correlation `key`, at `sort`, its place in the order of time.

    arrived_ms: when it was first stored there. ttl: epoch seconds. expire: the type of the event that its removal by
    the TTL service becomes; None: its removal is no event. correlated: it is a copy, for a rule that reads another key.
    """

    source: str
    event: DomainEvent
    arrived_ms: int
    key: CorrelationKey
    sort: str
    ttl: int
    expire: str | None = None
    correlated: bool = False

    @classmethod
    def of(cls, item: Item, keys: Keys) -> "StoredEvent":
        """Read a row of the store."""
        key, sort = (item[name] for name in keys.names)
        row = cast("StoredEventRow", item)
        return cls(
            source=row["source"],
            event=DomainEvent.from_wire(row["event"]),
            arrived_ms=row["arrived"],
            key=key,
            sort=sort,
            ttl=row["ttl"],
            expire=row.get("expire"),
            correlated=row["discriminator"] == CORRELATED,
        )

    def row(self, keys: Keys) -> Item:
        """Return the row: immutable, so that it is the same however often it is written."""
        row: StoredEventRow = {
            "discriminator": CORRELATED if self.correlated else EVENT,
            "source": self.source,
            "event": replace(self.event, raw=None).to_wire(),
            "arrived": self.arrived_ms,
            "ttl": self.ttl,
        }
        if self.expire is not None:
            row["expire"] = self.expire
        return {**keys.of(self.key, self.sort), **row}


def sort_of(timestamp_ms: int, identity: str) -> str:
    """Return an event's place in the order of (timestamp, identity), as text.

    identity: what, beside correlation key and time, makes two events the same fact.

    Raises:
        ValueError: it is longer than a sort key may be.

    """
    return within_limit(f"{PREFIX}{timestamp_ms:013d}{SEPARATOR}{identity}")


def correlation_key(key: str, suffix: str = "") -> CorrelationKey:
    """Return the key under which events are found together, apart from those that other rules keep under `key`.

    Raises:
        ValueError: the suffix has a `#` in it.

    """
    if not suffix:
        return key
    require_part(suffix)
    return f"{key}{SEPARATOR}{suffix}"
