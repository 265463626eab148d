"""The events of a correlation key around anchors, read consistently and no further than a rule looks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Rows, Table
from andon.dynamodb.key_query import Between, KeyQuery
from andon.events.domain_event import MAX_TIMESTAMP_MS
from andon.events.latch import LATCHED
from andon.rules.stored_event import BEHIND_ALL, PREFIX, UNREADABLE, CorrelationKey, StoredEvent, behind
from andon.runtime.tried import Failed, tried

# Most look-backs end within the first few events, or at two hours of events that come every five minutes: so many rows
# of 460 bytes cost three read units, as 25 do.
PAGE_OF_PAST: Final = 26

# So many pages of nothing but rows that have expired, or cannot be read, are the end: TTL may be days late.
PAGES_OF_NOTHING: Final = 8


class UnreadableRow(NamedTuple):
    """A row of the store that nobody can read."""

    row: Item
    error: Exception


class Past:
    """The events of a correlation key around the anchors that rules are evaluated at.

    They are read page by page, from an anchor on: the other events of the key cost nothing. An event that several
    rules or anchors look at is read once.
    """

    def __init__(self, table: Table, key: CorrelationKey, *, anchors: Sequence[str], now_ms: int) -> None:
        self._unreadable: dict[str, UnreadableRow] = {}
        self._table, self._key, self._now_ms = table, key, now_ms
        self._anchors = sorted(anchors, reverse=True)
        self._ranges: list[_Range] = []

    def take_unreadable(self) -> list[UnreadableRow]:
        """Take the rows met on the way that nobody can read."""
        taken = [*self._unreadable.values()]
        self._unreadable.clear()
        return taken

    def find(self, sort: str) -> StoredEvent | None:
        """Return the event of a sort key, if it is still stored."""
        newest = next(self.upto(sort), None)
        return newest if newest and newest.sort == sort else None

    def newest_behind(self, sort: str, *, most: int) -> list[StoredEvent] | None:
        """Return the events behind a sort key, newest first; None: there are more, or reading ended before it."""
        found = list[StoredEvent]()
        for stored in self.upto(BEHIND_ALL):
            if stored.sort <= sort:
                return found
            if len(found) == most:
                return None
            found.append(stored)
        return None

    def oldest_behind(self, sort: str) -> Iterator[StoredEvent]:
        """Return the events behind a sort key, oldest first, read no further than somebody looks."""
        return self.behind(sort, until_ms=MAX_TIMESTAMP_MS)

    def upto(self, sort: str) -> Iterator[StoredEvent]:
        """Return the events from a sort key on, newest first."""
        return (stored for stored in self._range_of(sort) if stored.sort <= sort)

    def behind(self, sort: str, *, until_ms: int) -> Iterator[StoredEvent]:
        """Return the events behind a sort key up to a time, oldest first."""
        found = self._range(Between(sort, behind(until_ms)), forward=True)
        return (stored for stored in found if stored.sort > sort)

    def within(self, sort: str, *, until_ms: int) -> Iterator[StoredEvent]:
        """Return the events behind a sort key up to a time, newest first."""
        found = self._range(Between(sort, behind(until_ms)), forward=False)
        return (stored for stored in found if stored.sort > sort)

    def _range_of(self, sort: str) -> "_Range":
        """Return the range that a sort key lies in; that of the newest anchor mostly has the others in it, too."""
        for start in takewhile(lambda anchor: anchor > sort, self._anchors):
            if (found := self._range_from(start)).has(sort):
                return found
        return self._range_from(sort)

    def _range_from(self, start: str) -> "_Range":
        for found in self._ranges:
            if found.has(start):
                return found
        self._ranges.append(self._range(Between(PREFIX, start), forward=False))
        return self._ranges[-1]

    def _range(self, between: Between, *, forward: bool) -> "_Range":
        query = KeyQuery(keys=self._table.keys, partition=self._key, sort=between, forward=forward)
        return _Range(self._table, query, self._alive)

    def _alive(self, rows: Iterable[Item]) -> Iterator[StoredEvent]:
        for row in rows:
            if row.get("discriminator") == UNREADABLE or LATCHED in row:
                continue  # a row that came back from the archive is for people: no rule looks back so far
            stored = tried(StoredEvent.of, row, self._table.keys)  # others may write into the store
            if isinstance(stored, Failed):
                self._unreadable[row[self._table.keys.names[1]]] = UnreadableRow(row, stored.error)
            elif not ttl.is_expired(stored.ttl, self._now_ms):
                yield stored


class _Range:
    """The events that a query finds, read page by page when somebody gets there, and kept."""

    def __init__(self, table: Table, query: KeyQuery, alive: Callable[[Iterable[Item]], Iterator[StoredEvent]]) -> None:
        self._table, self._query, self._alive = table, query, alive
        self._read: list[StoredEvent] = []
        self._unlooked: Iterator[StoredEvent] = iter(())  # of the page that was read last: a timer looks at one event
        self._page = Rows([], None)
        self._begun = self._ended = False

    def has(self, sort: str) -> bool:
        """Return True if a sort key lies in the part of the range that was read, which is a page at least."""
        between = self._query.sort
        if not isinstance(between, Between) or sort >= str(between.last):
            return isinstance(between, Between) and sort == between.last
        if not self._begun:
            self._read_page()
        self._read += self._unlooked
        return self._ended or (bool(self._read) and self._read[-1].sort <= sort)

    def __iter__(self) -> Iterator[StoredEvent]:
        position = 0
        while position < len(self._read) or self._read_on():
            yield self._read[position]
            position += 1

    def _read_on(self) -> bool:
        """Read until there is one more event; return True if there is. A failed read is made again next time."""
        pages = 0
        while (found := next(self._unlooked, None)) is None and not self._ended and pages < PAGES_OF_NOTHING:
            self._read_page()
            pages += 1
        if found is not None:
            self._read.append(found)
        return found is not None

    def _read_page(self) -> None:
        rows = self._table.query(self._query, limit=PAGE_OF_PAST, start=self._page.last_key, consistent=True)
        self._unlooked = self._alive(rows.items)
        self._page, self._begun, self._ended = rows, True, rows.last_key is None
