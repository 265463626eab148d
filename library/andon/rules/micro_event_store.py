"""A micro event store: the events that a service's rules look at, each under its correlation key."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Rows, Table
from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.key_query import Between, KeyQuery
from andon.events.latch import LATCHED
from andon.rules.gaps import following
from andon.rules.hold_back import hold_back_ms
from andon.rules.late import late_by
from andon.rules.stored_event import BEHIND_ALL, PREFIX, UNREADABLE, CorrelationKey, StoredEvent, behind, readable
from andon.views.outcome import Outcome
from andon.wire.deadline import ATTEMPT_MS, begun_by

# Rows of what is newer than an event that arrives, which are read at a time.
PAGE = 25

# Most look-backs end within the first few events, or at two hours of events that come every five minutes: so many rows
# of 460 bytes cost three read units, as 25 do.
PAGE_OF_PAST = 26

# Whom an event follows lies just before it: so many rows of what is newest cost one read unit.
FEW = 3

# What is newer than an event that arrives: mostly nothing. Behind so many pages it is late, whatever they say.
PAGES_OF_NEWER = 4

# No attempt to store an event begins later than this after its arrival: a retry after that would store a time that
# everybody takes for settled. The message comes again, and arrives anew.
BEGUN_WITHIN_MS: Final = 3_000

# Lambda's clocks may differ by so much.
CLOCKS_MS: Final = 1_000

# An event is stamped with its arrival before it is stored: a put that begins in time may end so much later.
STORED_WITHIN_MS: Final = BEGUN_WITHIN_MS + ATTEMPT_MS + CLOCKS_MS

# So many pages of nothing but what has expired, or cannot be read, are the end: TTL may be days late.
PAGES_OF_NOTHING = 8

Unread = Callable[[Item, Exception], None]
"""What to do with a row that nobody can read."""


def store(table: Table, one: StoredEvent, *, now_ms: int, settle: bool = True, gap_ms: int | None = None) -> Outcome:
    """Store an event under its key, unless it is there: one query of what is newest, one conditional put.

    settle: False if no rule is on it, so that nobody will ask whether it was late. gap_ms: see `Collected`.
    """
    if ttl.is_expired(one.ttl, now_ms):
        return Outcome.EXPIRED  # a late duplicate must not come back and be decided upon again
    settled = _settled(table, one, gap_ms) if settle else one
    try:
        with begun_by(one.arrived_ms + BEGUN_WITHIN_MS):
            table.put(settled.row(table.keys), condition=table.absent)
    except ConditionFailed:
        return Outcome.DUPLICATE
    return Outcome.APPLIED


def _settled(table: Table, one: StoredEvent, gap_ms: int | None) -> StoredEvent:
    """Return an event with what it is late by and whom it follows, from what is stored, newest first."""
    first = one.sort if gap_ms is None else PREFIX
    query = KeyQuery(keys=table.keys, partition=one.key, sort=Between(first, BEHIND_ALL))
    found, start = list[StoredEvent](), None
    for number in range(PAGES_OF_NEWER):
        limit = PAGE if number or gap_ms is None else FEW
        page = table.query(query, limit=limit, start=start, consistent=True)
        found += readable((row for row in page.items if LATCHED not in row), table.keys)
        late, start = late_by(one, found, hold_back_ms=hold_back_ms()), page.last_key
        if start is None or one.topic in late or str(start[table.keys.names[1]]) < one.sort:
            settled = one._replace(late_by=late)
            if gap_ms is None:
                return settled
            return following(settled, found, gap_ms=gap_ms, hold_back_ms=hold_back_ms())
    return one._replace(late_by=frozenset({one.topic}), flooded=True)


class Past:
    """The events of a correlation key around the anchors that rules are evaluated at.

    They are read consistently, page by page, from an anchor on and only as far as a rule looks: what the key says
    beside that costs nothing. What several rules or anchors look at is read once.
    """

    def __init__(
        self, table: Table, key: CorrelationKey, *, anchors: Sequence[str], now_ms: int, unread: Unread
    ) -> None:
        self._table, self._key, self._now_ms, self._unread = table, key, now_ms, unread
        self._anchors = sorted(anchors, reverse=True)
        self._ranges: list[_Range] = []

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
                continue  # what came back from the archive is for people: no rule looks back so far
            try:
                stored = StoredEvent.of(row, self._table.keys)
            except Exception as error:  # noqa: BLE001  something else wrote into the store, and reading it is pure
                self._unread(row, error)
            else:
                if not ttl.is_expired(stored.ttl, self._now_ms):
                    yield stored


class _Range:
    """The events that a query finds, read page by page when somebody gets there, and kept."""

    def __init__(self, table: Table, query: KeyQuery, alive: Callable[[Iterable[Item]], Iterator[StoredEvent]]) -> None:
        self._table, self._query, self._alive = table, query, alive
        self._read: list[StoredEvent] = []
        self._page = Rows([], None)
        self._begun = self._ended = False

    def has(self, sort: str) -> bool:
        """Return whether a sort key lies between its start and what was read of it, a page at least."""
        between = self._query.sort
        if not isinstance(between, Between) or sort >= str(between.last):
            return isinstance(between, Between) and sort == between.last
        if not self._begun:
            self._read_page()
        return self._ended or (bool(self._read) and self._read[-1].sort <= sort)

    def __iter__(self) -> Iterator[StoredEvent]:
        position = 0
        while position < len(self._read) or self._read_more():
            yield self._read[position]
            position += 1

    def _read_more(self) -> bool:
        """Read until there is one more event; return whether there is. A read that fails is made again next time."""
        read, pages = len(self._read), 0
        while len(self._read) == read and not self._ended and pages < PAGES_OF_NOTHING:
            self._read_page()
            pages += 1
        return len(self._read) > read

    def _read_page(self) -> None:
        rows = self._table.query(self._query, limit=PAGE_OF_PAST, start=self._page.last_key, consistent=True)
        self._read += list(self._alive(rows.items))  # as a whole, or not at all
        self._page, self._begun, self._ended = rows, True, rows.last_key is None
