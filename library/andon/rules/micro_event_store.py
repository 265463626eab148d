"""Storage of events under their correlation keys, for rules; facts that are final on arrival are stored with them."""

from typing import Final

from andon.dynamodb import ttl
from andon.dynamodb.client import Table
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


def store(table: Table, one: StoredEvent, *, now_ms: int, settle: bool = True, gap_ms: int | None = None) -> Outcome:
    """Store an event under its key, unless it is there: one query of the newest rows, one conditional put.

    settle: False if no rule is on it, so that its lateness matters to nobody. gap_ms: see `Collected`.
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
    """Return an event with `late_by`, `follows_ms` and `unsteady`, from the rows around it, newest first."""
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
