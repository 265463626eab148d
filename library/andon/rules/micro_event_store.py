"""Storage of events under their correlation keys, for rules; facts that are final on arrival are stored with them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from andon.dynamodb import ttl
from andon.dynamodb.client import Rows, Table
from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.key_query import Between, KeyQuery
from andon.events.latch import LATCHED
from andon.rules.gaps import following
from andon.rules.hold_back import hold_back_ms
from andon.rules.late import late_by
from andon.rules.stored_event import BEHIND_ALL, PREFIX, StoredEvent, readable
from andon.views.outcome import Outcome
from andon.wire.deadline import ATTEMPT_MS, begun_by

# Rows newer than an event that arrives, which are read at a time.
PAGE = 25

# The event that another one follows lies just before it: so many of the newest rows cost one read unit.
FEW = 3

# Mostly nothing is newer than an event that arrives. Behind so many pages it is late, whatever they say.
PAGES_OF_NEWER = 4

# No attempt to store an event begins later than this after its arrival: a retry after that would store a time that
# everybody takes for settled. The message comes again, and arrives anew.
BEGUN_WITHIN_MS: Final = 3_000

# Lambda's clocks may differ by so much.
CLOCKS_MS: Final = 1_000

# An event is stamped with its arrival before it is stored: a put that begins in time may end so much later.
STORED_WITHIN_MS: Final = BEGUN_WITHIN_MS + ATTEMPT_MS + CLOCKS_MS


class NewestPage(NamedTuple):
    """The events of a page of rows under a key, newest first.

    last: the sort key of the last row of the page; None: it is the last page.
    """

    events: Sequence[StoredEvent]
    last: str | None


def store(table: Table, one: StoredEvent, *, now_ms: int, settle: bool = True, gap_ms: int | None = None) -> Outcome:
    """Store an event under its key, unless it is there: one query of the newest rows, one conditional put.

    settle: False if no rule is on it, so that its lateness matters to nobody. gap_ms: see `Collected`.
    """
    if ttl.is_expired(one.ttl, now_ms):
        return Outcome.EXPIRED  # a late duplicate must not come back and be decided upon again
    held_ms = hold_back_ms()
    as_stored = settled(one, _pages(table, one, gap_ms), gap_ms=gap_ms, hold_back_ms=held_ms) if settle else one
    try:
        with begun_by(one.arrived_ms + BEGUN_WITHIN_MS):
            table.put(as_stored.row(table.keys), condition=table.absent)
    except ConditionFailed:
        return Outcome.DUPLICATE
    return Outcome.APPLIED


def settled(
    one: StoredEvent, newest_first: Iterable[NewestPage], *, gap_ms: int | None, hold_back_ms: int
) -> StoredEvent:
    """Return an event with `late_by`, and with a gap `follows_ms`, `unsteady` and `turned`, from the rows around it.

    newest_first: pages of `limits(gap_ms)`, down to the event; with a gap, also what lies before it. They are read no
    further than needed.
    """
    found = list[StoredEvent]()
    for page in newest_first:
        found += page.events
        late = late_by(one, found, hold_back_ms=hold_back_ms)
        if page.last is None or one.topic in late or page.last < one.sort:
            as_stored = one._replace(late_by=late) if late else one
            if gap_ms is None:
                return as_stored
            return following(as_stored, found, gap_ms=gap_ms, hold_back_ms=hold_back_ms)
    return one._replace(late_by=frozenset({one.topic}), flooded=True, turned=gap_ms is not None)


def limits(gap_ms: int | None) -> tuple[int, ...]:
    """Return the most rows of each page that is read when an event is stored."""
    pages = (PAGE,) * PAGES_OF_NEWER
    return pages if gap_ms is None else (FEW, *pages[1:])


def _pages(table: Table, one: StoredEvent, gap_ms: int | None) -> Iterator[NewestPage]:
    first = one.sort if gap_ms is None else PREFIX
    query = KeyQuery(keys=table.keys, partition=one.key, sort=Between(first, BEHIND_ALL))
    page = Rows([], None)
    for limit in limits(gap_ms):
        page = table.query(query, limit=limit, start=page.last_key, consistent=True)
        events = readable((row for row in page.items if LATCHED not in row), table.keys)
        yield NewestPage(events, None if page.last_key is None else str(page.last_key[table.keys.names[1]]))
