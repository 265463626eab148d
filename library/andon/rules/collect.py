"""Collect: store an event whole, once, under its correlation key, for rules to look at."""

from collections.abc import Hashable
from typing import NamedTuple

from andon.dynamodb.client import Table
from andon.dynamodb.ttl import ttl_at
from andon.events.bus_entry import Replay
from andon.events.domain_event import DomainEvent
from andon.rules.micro_event_store import store
from andon.rules.stored_event import CorrelationKey, StoredEvent, sort_of
from andon.views.outcome import Outcome


class Collected(NamedTuple):
    """An event that a listener stores, once, however often it is published.

    key, sort: its correlation key, and its place in the order of time. source: who published it. ttl_days: how long it
    is kept, from its own time. expire, entity: see `StoredEvent`. gap_ms: how long a gap between events of its
    type is, as the rules have it; None: no rule decides about one.
    """

    key: CorrelationKey
    sort: str
    source: str
    ttl_days: int
    expire: str | None = None
    entity: str | None = None
    gap_ms: int | None = None

    @classmethod
    def of(
        cls,
        event: DomainEvent,
        *,
        key: CorrelationKey,
        source: str,
        ttl_days: int,
        identity: str | None = None,
        expire: str | None = None,
        entity: str | None = None,
        gap_ms: int | None = None,
    ) -> "Collected":
        """Return the place of an event. `identity`: see `sort_of`; None: the event's id.

        Raises:
            ValueError: its sort key is longer than DynamoDB allows.

        """
        sort = sort_of(event.timestamp_ms, event.id if identity is None else identity)
        return cls(key=key, sort=sort, source=source, ttl_days=ttl_days, expire=expire, entity=entity, gap_ms=gap_ms)

    @property
    def target(self) -> Hashable:
        """The row: one write settles all of it."""
        return (self.key, self.sort)

    @property
    def about_ms(self) -> None:
        """None: its place in the order of time is that of the event."""

    @property
    def origin(self) -> str:
        """Empty: another event is another row."""
        return ""

    def write(
        self,
        table: Table,
        event: DomainEvent,
        *,
        now_ms: int,
        ttl_days: int | None = None,  # noqa: ARG002  its own counts
        replay: Replay | None = None,  # noqa: ARG002  what is replayed is not decided upon again: see restored_event
    ) -> Outcome:
        """Store the event as it arrives now; one that is there already stays as it is."""
        return store(table, self.stored(event, arrived_ms=now_ms), now_ms=now_ms, gap_ms=self.gap_ms)

    def stored(self, event: DomainEvent, *, arrived_ms: int) -> StoredEvent:
        """Return the event as it is stored."""
        return StoredEvent(
            source=self.source,
            event=event,
            arrived_ms=arrived_ms,
            key=self.key,
            sort=self.sort,
            ttl=ttl_at(event.timestamp_ms, self.ttl_days),
            expire=self.expire,
            entity=self.entity,
        )
