"""A micro event store: the events that a service's rules look at, under the keys by which those correlate them."""

from collections.abc import Iterator

from patterns.dynamodb import ttl
from patterns.dynamodb.client import Rows, Table
from patterns.dynamodb.errors import ConditionFailed
from patterns.dynamodb.key_query import BeginsWith, KeyQuery
from patterns.events.domain_event import DomainEvent
from patterns.rules.stored_event import PREFIX, Collected, StoredEvent, stored
from patterns.views.inverse_oplock import Outcome

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
        table.put(one.row(table.keys), condition=table.absent)
    except ConditionFailed:
        return Outcome.DUPLICATE
    return Outcome.APPLIED


class Past:
    """The events of a correlation key, newest first, read consistently page by page, as far as somebody looks back."""

    def __init__(self, table: Table, correlation_key: str, *, now_ms: int) -> None:
        self._table, self._now_ms = table, now_ms
        self._query = KeyQuery(keys=table.keys, partition=correlation_key, sort=BeginsWith(PREFIX))
        self._read: list[StoredEvent] = []
        self._page = Rows([], None)
        self._ended = False

    def __iter__(self) -> Iterator[StoredEvent]:
        position = 0
        while position < len(self._read) or self._read_on():
            yield self._read[position]
            position += 1

    def _read_on(self) -> bool:
        """Read until there is one more event; tell whether there is. What fails is read again by whoever asks next."""
        read = len(self._read)
        while len(self._read) == read and not self._ended:
            rows = self._table.query(self._query, limit=PAGE, start=self._page.last_key, consistent=True)
            alive = (row for row in rows.items if ttl.is_alive(row, self._now_ms))
            self._read += [StoredEvent.of(row, self._table.keys) for row in alive]
            self._page, self._ended = rows, rows.last_key is None
        return len(self._read) > read
