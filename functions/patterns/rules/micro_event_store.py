"""A micro event store: the events that a service's rules look at, each under its correlation key."""

from collections.abc import Iterator

from patterns.dynamodb import ttl
from patterns.dynamodb.client import Rows, Table
from patterns.dynamodb.errors import ConditionFailed
from patterns.dynamodb.key_query import BeginsWith, KeyQuery
from patterns.rules.stored_event import PREFIX, CorrelationKey, StoredEvent
from patterns.views.outcome import Outcome

# Most look-backs end within the first few events: a page of them costs some three read units.
PAGE = 25


def store(table: Table, one: StoredEvent, *, now_ms: int) -> Outcome:
    """Store an event under its key, unless it is there: one conditional put, no read."""
    if ttl.is_expired(one.ttl, now_ms):
        return Outcome.EXPIRED  # a late duplicate must not come back and be decided upon again
    try:
        table.put(one.row(table.keys), condition=table.absent)
    except ConditionFailed:
        return Outcome.DUPLICATE
    return Outcome.APPLIED


class Past:
    """The events of a correlation key, newest first.

    They are read consistently, page by page, only as far as a rule looks back, and once however many rules do.
    """

    def __init__(self, table: Table, key: CorrelationKey, *, now_ms: int) -> None:
        self._table, self._now_ms = table, now_ms
        self._query = KeyQuery(keys=table.keys, partition=key, sort=BeginsWith(PREFIX))
        self._read: list[StoredEvent] = []
        self._page = Rows([], None)
        self._ended = False

    def __iter__(self) -> Iterator[StoredEvent]:
        position = 0
        while position < len(self._read) or self._read_more():
            yield self._read[position]
            position += 1

    def _read_more(self) -> bool:
        """Read until there is one more event; return whether there is. A read that fails is made again next time."""
        read = len(self._read)
        while len(self._read) == read and not self._ended:
            rows = self._table.query(self._query, limit=PAGE, start=self._page.last_key, consistent=True)
            alive = (row for row in rows.items if ttl.is_alive(row, self._now_ms))
            self._read += [StoredEvent.of(row, self._table.keys) for row in alive]
            self._page, self._ended = rows, rows.last_key is None
        return len(self._read) > read
