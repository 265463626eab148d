"""An event in a micro event store: a row of its own, in the order of time beside those it correlates with. Pure.

| pk | sk | row |
|---|---|---|
| correlation key | `event#<13-digit ms>#<identity>` | the event without its `raw`, when it arrived, its ttl |
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from patterns.dynamodb.keys import SEPARATOR, prefix, require_part, within_limit
from patterns.dynamodb.schema import Keys
from patterns.dynamodb.ttl import ATTRIBUTE, ttl_at
from patterns.events.domain_event import DomainEvent

EVENT: Final = "event"
CORRELATED: Final = "correlated"

PREFIX: Final = prefix(EVENT)
"""How the sort keys of events begin, and nobody else's."""

EXPIRE: Final = "expire"


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What a listener says of an event that is to be stored whole, once, however often it is told.

    key: the primary key of its row, see `event_key`. source: who published it. ttl_days: how long it is kept, from its
    own time. expire: the type of the event that its removal by the TTL service is; None: that stays silent.
    """

    key: Mapping[str, str | int]
    source: str
    ttl_days: int
    expire: str | None = None

    @property
    def oplock(self) -> str:
        """Name what one write of the row settles: the whole of it."""
        return EVENT


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """An event as it lies in the store, under `key`, in its place in the order of time, `sort`.

    arrived_ms: when it was first stored there. correlated: it is a copy, for a rule that looks under another key.
    """

    source: str
    event: DomainEvent
    arrived_ms: int
    key: str
    sort: str
    ttl: int
    expire: str | None = None
    correlated: bool = False

    @classmethod
    def of(cls, row: Mapping[str, Any], keys: Keys) -> "StoredEvent":
        """Read a row of the store."""
        key, sort = (row[name] for name in keys.names)
        return cls(
            source=row["source"],
            event=DomainEvent.from_wire(row["event"]),
            arrived_ms=row["arrived"],
            key=key,
            sort=sort,
            ttl=row[ATTRIBUTE],
            expire=row.get(EXPIRE),
            correlated=row["discriminator"] == CORRELATED,
        )

    def row(self, keys: Keys) -> dict[str, Any]:
        """Give the row: immutable, so that it is the same however often it is written."""
        row = {
            **keys.of(self.key, self.sort),
            "discriminator": CORRELATED if self.correlated else EVENT,
            "source": self.source,
            "event": replace(self.event, raw=None).to_wire(),
            "arrived": self.arrived_ms,
            ATTRIBUTE: self.ttl,
        }
        return row if self.expire is None else {**row, EXPIRE: self.expire}


def event_key(
    event: DomainEvent, keys: Keys, *, correlation_key: str, identity: str | None = None
) -> dict[str, str | int]:
    """Give the primary key under which an event is stored.

    identity: what, beside key and time, makes two events the same fact; the event's id, where nothing else does.

    Raises:
        ValueError: it is longer than a key may be.

    """
    return keys.of(correlation_key, sort_of(event.timestamp, event.id if identity is None else identity))


def sort_of(timestamp_ms: int, identity: str) -> str:
    """Give an event's place in the order of (timestamp, identity), as text."""
    return within_limit(f"{PREFIX}{timestamp_ms:013d}{SEPARATOR}{identity}")


def stored(collected: Collected, event: DomainEvent, keys: Keys, *, arrived_ms: int) -> StoredEvent:
    """Give an event as it is to be stored."""
    key, sort = (str(collected.key[name]) for name in keys.names)
    return StoredEvent(
        source=collected.source,
        event=event,
        arrived_ms=arrived_ms,
        key=key,
        sort=sort,
        ttl=ttl_at(event.timestamp, collected.ttl_days),
        expire=collected.expire,
    )


def correlation_key(key: str, suffix: str = "") -> str:
    """Give the key under which events are found together, apart from those that another rule keeps there.

    Raises:
        ValueError: the suffix has a `#` in it.

    """
    if not suffix:
        return key
    require_part(suffix)
    return f"{key}{SEPARATOR}{suffix}"
