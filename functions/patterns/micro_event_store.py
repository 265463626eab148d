"""A micro event store: the events that a service's rules look at, under the keys by which those correlate them."""

from collections.abc import Iterator

from patterns import ttl
from patterns.domain_event import DomainEvent
from patterns.expressions import Condition
from patterns.inverse_oplock import Outcome
from patterns.key_query import BeginsWith, KeyQuery
from patterns.stored_event import PREFIX, Collected, StoredEvent, stored
from patterns.table import ConditionFailed, Table

# Most look-backs end within the first few events: a page of them costs some three read units.
PAGE = 25


def collect(table: Table, collected: Collected, event: DomainEvent, *, now_ms: int) -> Outcome:
    """Store an event that arrives now; one that is there already stays as it is, and nobody hears of it again."""
    return store(table, stored(collected, event, table.keys, arrived_ms=now_ms), now_ms=now_ms)


def store(table: Table, one: StoredEvent, *, now_ms: int) -> Outcome:
    """Store an event under its key, once: one conditional put, no read."""
    if ttl.is_expired(one.ttl, now_ms):
        return Outcome.EXPIRED  # what was reaped must not come back to be decided upon again
    try:
        table.put(one.row(table.keys), condition=absent(table))
    except ConditionFailed:
        return Outcome.DUPLICATE
    return Outcome.APPLIED


def absent(table: Table) -> Condition:
    """Give the condition that no row of that key is there."""
    return Condition("attribute_not_exists(#key)", {"key": table.keys.partition})


class Past:
    """The events of a correlation key, newest first, read consistently page by page, as far as somebody looks back."""

    def __init__(self, table: Table, correlation_key: str, *, now_ms: int) -> None:
        self._read: list[StoredEvent] = []
        self._pages = _pages(table, correlation_key, now_ms)

    def __iter__(self) -> Iterator[StoredEvent]:
        position = 0
        while position < len(self._read) or self._read_on():
            yield self._read[position]
            position += 1

    def _read_on(self) -> bool:
        for page in self._pages:
            if page:
                self._read += page
                return True
        return False


def _pages(table: Table, correlation_key: str, now_ms: int) -> Iterator[list[StoredEvent]]:
    query = KeyQuery(keys=table.keys, partition=correlation_key, sort=BeginsWith(PREFIX))
    start = None
    while True:
        rows = table.query(query, limit=PAGE, start=start, consistent=True)
        yield [StoredEvent.of(row, table.keys) for row in rows.items if ttl.is_alive(row, now_ms)]
        start = rows.last_key
        if start is None:
            return
