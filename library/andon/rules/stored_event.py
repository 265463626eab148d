"""An event in a micro event store: a row of its own, in the order of time beside those it correlates with. Pure.

| pk | sk | row |
|---|---|---|
| correlation key | `event#<13-digit ms>#<identity>` | `StoredEventRow` |
"""

import re
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, TypedDict

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.keys import SEPARATOR, prefix, require_part, within_limit
from andon.dynamodb.schema import Keys
from andon.events.domain_event import MAX_TIMESTAMP_MS, DomainEvent, WireEvent
from andon.events.topic import Topic
from andon.runtime.marks import NotRequired
from andon.runtime.strict_json import is_whole
from andon.runtime.tried import tried

EVENT: Final = "event"
CORRELATED: Final = "correlated"
UNREADABLE: Final = "unreadable"
"""The discriminator of a row that nobody can read: it became a fault, and everybody passes over it."""

PREFIX: Final = prefix(EVENT)
"""The beginning of the sort keys of events, and of no others."""

BEHIND_ALL: Final = f"{PREFIX}:"
"""Behind the sort keys of all events: `:` follows the digits."""

_EVENT_SORT: Final = re.compile(rf"{PREFIX}[0-9]{{13}}{SEPARATOR}")

CorrelationKey = str
"""The partition in which a rule finds an event beside those that it correlates with, see `correlation_key`."""


class StoredEventRow(TypedDict):
    """The attributes of a stored event, its primary key aside.

    discriminator: `event`, or `correlated` for a copy under a further key. event: the event on the wire, without its
    `raw`. arrived, follows: epoch milliseconds. ttl: epoch seconds. expire, entity, late, flooded, follows,
    unsteady, turned: see `StoredEvent`; `late` is a list of pairs (source, type).
    """

    discriminator: Literal["event", "correlated"]
    source: str
    event: WireEvent
    arrived: int
    ttl: int
    expire: NotRequired[str]
    entity: NotRequired[str]
    late: NotRequired[list[list[str]]]
    flooded: NotRequired[Literal[True]]
    follows: NotRequired[int]
    unsteady: NotRequired[Literal[True]]
    turned: NotRequired[Literal[True]]


class StoredEvent(NamedTuple):
    """An event as it lies in the store, under its correlation `key`, at `sort`, its place in the order of time.

    arrived_ms: when it was first stored there. ttl: epoch seconds. expire: the type of the event that its removal by
    the TTL service becomes; None: its removal is no event. entity: the name of the entity that this event has. late_by:
    the topics of which a newer event had arrived more than the hold-back before it, see `late`; it is settled when the
    event is stored, and never changes. flooded: it was settled without reading all that is newer. follows_ms: the time
    of an earlier event that it follows closely, see `gaps.py`; None: it may be the first after a gap. unsteady: a gap
    may have ended behind that one all the same. turned: of a topic with a gap, it says another thing than the event
    before it, or that one was not read; see `AtTurn`. correlated: it is a copy, for a rule that reads another key.
    """

    source: str
    event: DomainEvent
    arrived_ms: int
    key: CorrelationKey
    sort: str
    ttl: int
    expire: str | None = None
    entity: str | None = None
    late_by: frozenset[Topic] = frozenset()
    flooded: bool = False
    follows_ms: int | None = None
    unsteady: bool = False
    turned: bool = False
    correlated: bool = False

    @property
    def topic(self) -> Topic:
        """The source and the type of the event."""
        return self.source, self.event.type

    @property
    def identity(self) -> str:
        """The part of its sort key that is not its time, see `sort_of`."""
        return self.sort.partition(SEPARATOR)[2].partition(SEPARATOR)[2]

    def is_late_for(self, topics: frozenset[Topic]) -> bool:
        """Return True if it arrived too late to count for a rule on these topics."""
        return not self.late_by.isdisjoint(topics) and self.topic in topics

    def copy_under(self, key: CorrelationKey) -> "StoredEvent":
        """Return the copy under a further key: nothing is settled yet, and its removal is no event."""
        return self._replace(
            key=key,
            expire=None,
            late_by=frozenset(),
            flooded=False,
            follows_ms=None,
            unsteady=False,
            turned=False,
            correlated=True,
        )

    @classmethod
    def of(cls, item: Item, keys: Keys) -> "StoredEvent":
        """Read a row of the store.

        Raises:
            Poison, ValueError, KeyError, TypeError: it is no row that `row` wrote.

        """
        key, sort = (item[name] for name in keys.names)
        if item["discriminator"] not in {EVENT, CORRELATED}:
            raise ValueError("the row is no event")
        return cls(
            source=_text(item["source"]),
            event=DomainEvent.from_wire(item["event"]),
            arrived_ms=_whole(item["arrived"]),
            key=key,
            sort=sort,
            ttl=_whole(item["ttl"]),
            expire=item.get("expire"),
            entity=item.get("entity"),
            late_by=frozenset((_text(source), _text(kind)) for source, kind in item.get("late", ())),
            flooded="flooded" in item,
            follows_ms=_whole(item["follows"]) if "follows" in item else None,
            unsteady="unsteady" in item,
            turned="turned" in item,
            correlated=item["discriminator"] == CORRELATED,
        )

    def row(self, keys: Keys) -> Item:
        """Return the row, the same however often it is written; later only its ttl is put off, see `DueAt`."""
        row: StoredEventRow = {
            "discriminator": CORRELATED if self.correlated else EVENT,
            "source": self.source,
            "event": self.event.without_raw().to_wire(),
            "arrived": self.arrived_ms,
            "ttl": self.ttl,
        }
        if self.expire is not None:
            row["expire"] = self.expire
        if self.entity is not None:
            row["entity"] = self.entity
        if self.late_by:
            row["late"] = [[source, kind] for source, kind in sorted(self.late_by)]
        if self.follows_ms is not None:
            row["follows"] = self.follows_ms
        flags = {name: True for name in ("flooded", "unsteady", "turned") if getattr(self, name)}
        return {**keys.of(self.key, self.sort), **row, **flags}


def sort_of(timestamp_ms: int, identity: str) -> str:
    """Return an event's place in the order of (timestamp, identity), as text.

    identity: what, beside correlation key and time, makes two events the same fact.

    Raises:
        ValueError: it is longer than a sort key may be, or the time is none that can be read back.

    """
    if not 0 <= timestamp_ms <= MAX_TIMESTAMP_MS:
        raise ValueError("an event of this time could not be read back")
    return within_limit(f"{PREFIX}{timestamp_ms:013d}{SEPARATOR}{identity}")


def is_event_sort(sort: str) -> bool:
    """Return True if a sort key is one of an event."""
    return _EVENT_SORT.match(sort) is not None


def timestamp_in(sort: str) -> int:
    """Return the time of an event (epoch milliseconds) from its sort key.

    Raises:
        ValueError: it is one of no event.

    """
    if not is_event_sort(sort):
        raise ValueError("this is the sort key of no event")
    return int(sort[len(PREFIX) :].partition(SEPARATOR)[0])


def behind(timestamp_ms: int) -> str:
    """Return a sort key that lies behind the events of a millisecond, and before those of the next one."""
    return f"{PREFIX}{timestamp_ms + 1:013d}" if timestamp_ms < MAX_TIMESTAMP_MS else BEHIND_ALL


def readable(rows: Iterable[Item], keys: Keys) -> list[StoredEvent]:
    """Return the events of the readable rows; their deciders make faults of the others."""
    events = (tried(StoredEvent.of, row, keys) for row in rows)
    return [event for event in events if isinstance(event, StoredEvent)]


def correlation_key(key: str, suffix: str = "") -> CorrelationKey:
    """Return the key under which events are found together, apart from those that other rules keep under `key`.

    Raises:
        ValueError: the suffix has a `#` in it.

    """
    if not suffix:
        return key
    require_part(suffix)
    return f"{key}{SEPARATOR}{suffix}"


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a source and a type are text")
    return value


def _whole(value: object) -> int:
    if not is_whole(value):
        raise TypeError("a time is a whole number")
    return value
