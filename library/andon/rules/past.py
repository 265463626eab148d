"""The events of a correlation key around anchors, read consistently and no further than a rule looks."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.schema import Between, KeyQuery
from andon.events.domain_event import MAX_TIMESTAMP_MS
from andon.events.latch import LATCHED
from andon.rules.stored_event import BEHIND_ALL, PREFIX, UNREADABLE, CorrelationKey, StoredEvent, behind
from andon.runtime.tried import Failed, tried

# Most look-backs end within the first few events, or at two hours of events that come every five minutes: so many rows
# of 460 bytes cost three read units, as 25 do.
PAGE_OF_PAST: Final = 26

# So many pages of nothing but rows that have expired, or cannot be read, are the end: TTL may be days late.
_PAGES_OF_NOTHING: Final = 8


class UnreadableRow(NamedTuple):
    """A row of the store that nobody can read."""

    row: Item
    error: Exception


class Past:
    """The events of a correlation key around the anchors that rules are evaluated at.

    They are read page by page, from an anchor on: the other events of the key cost nothing. An event that several
    rules or anchors look at is read once. looked: how many events were looked at, however often each was read.
    """

    def __init__(self, table: Table, key: CorrelationKey, *, anchors: Sequence[str], now_ms: int) -> None:
        self._unreadable: dict[str, UnreadableRow] = {}
        self._table, self._key, self._now_ms = table, key, now_ms
        self._anchors = sorted(anchors, reverse=True)
        self._newest_first: list[_Range] = []
        self._oldest_first: list[_Range] = []
        self.looked = 0

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
        return self._counted(self._range_of(sort).between(sort, PREFIX))

    def behind(self, sort: str, *, until_ms: int) -> Iterator[StoredEvent]:
        """Return the events behind a sort key up to a time, oldest first."""
        found = self._range_from(sort, self._oldest_first).between(sort, behind(until_ms))
        return self._counted(stored for stored in found if stored.sort > sort)

    def within(self, sort: str, *, until_ms: int) -> Iterator[StoredEvent]:
        """Return the events behind a sort key up to a time, newest first."""
        last = behind(until_ms)
        found = self._range_from(last, self._newest_first).between(last, sort)
        return self._counted(stored for stored in found if stored.sort > sort)

    def _counted(self, events: Iterable[StoredEvent]) -> Iterator[StoredEvent]:
        for stored in events:
            self.looked += 1
            yield stored

    def _range_of(self, sort: str) -> "_Range":
        """Return the range that a sort key lies in; that of the newest anchor mostly has the others in it, too."""
        for start in takewhile(lambda anchor: anchor > sort, self._anchors):
            found = self._range_from(start, self._newest_first)
            found.begin(PREFIX)
            if found.has(sort):
                return found
        return self._range_from(sort, self._newest_first)

    def _range_from(self, start: str, ranges: "list[_Range]") -> "_Range":
        """Return the range that has been read as far as a sort key, or one that begins there."""
        for found in ranges:
            if found.has(start):
                return found
        ranges.append(_Range(self._table, self._key, start, self._alive, forward=ranges is self._oldest_first))
        return ranges[-1]

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
    """The events from a sort key on, in one direction: read page by page when somebody gets there, and kept."""

    def __init__(
        self,
        table: Table,
        key: CorrelationKey,
        start: str,
        alive: Callable[[Iterable[Item]], Iterator[StoredEvent]],
        *,
        forward: bool,
    ) -> None:
        self._table, self._key, self._alive, self._forward = table, key, alive, forward
        self._start = self._reached = start
        self._last_key: Item | None = None
        self._is_begun = False
        self._read: list[StoredEvent] = []
        self._unlooked: Iterator[StoredEvent] = iter(())  # of the page that was read last: a timer looks at one event

    def has(self, sort: str) -> bool:
        """Return True if a sort key lies in the part of the range that was read, or is its beginning."""
        return not self._is_before(sort, self._start) and not self._is_before(self._reached, sort)

    def begin(self, end: str) -> None:
        """Read a page, unless one was read."""
        if not self._is_begun:
            self._read_page(end)

    def between(self, sort: str, end: str) -> Iterator[StoredEvent]:
        """Yield the events from a sort key to another one, in the direction of the range."""
        place = bisect_left(self._read, True, key=lambda one: not self._is_before(one.sort, sort))  # noqa: FBT003
        while place < len(self._read) or self._read_on(end):
            stored = self._read[place]
            if self._is_before(end, stored.sort):
                return
            if not self._is_before(stored.sort, sort):
                yield stored
            place += 1

    def _is_before(self, one: str, other: str) -> bool:
        return one < other if self._forward else one > other

    def _read_on(self, end: str) -> bool:
        """Read until there is one more event; return True if there is. A failed read is made again next time."""
        pages = 0
        while (found := next(self._unlooked, None)) is None:
            if pages == _PAGES_OF_NOTHING:
                self._reached, self._last_key = end, None
            if self._is_begun and not self._is_before(self._reached, end):
                return False
            self._read_page(end)
            pages += 1
        self._read.append(found)
        return True

    def _read_page(self, end: str) -> None:
        """Read a page between the part that was read and an end."""
        first, last = (self._reached, end) if self._forward else (end, self._reached)
        query = KeyQuery(keys=self._table.keys, partition=self._key, sort=Between(first, last), forward=self._forward)
        rows = self._table.query(query, limit=PAGE_OF_PAST, start=self._last_key, consistent=True)
        name = self._table.keys.names[1]
        known = self._reached if self._is_begun else None  # the event at the end of an earlier part lies in both
        self._unlooked = self._alive(row for row in rows.items if row[name] != known)
        self._last_key, self._is_begun = rows.last_key, True
        self._reached = end if rows.last_key is None else str(rows.last_key[name])
