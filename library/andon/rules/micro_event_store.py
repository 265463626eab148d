"""Storage of events under their correlation keys, for rules, and the hold-back that a decision waits."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from andon.dynamodb import ttl
from andon.dynamodb.client import ConditionFailed, Rows, Table
from andon.dynamodb.schema import Between, KeyQuery
from andon.events.latch import LATCHED
from andon.events.topic import Topic
from andon.rules.stored_event import BEHIND_ALL, PREFIX, StoredEvent, readable
from andon.views.outcome import Outcome
from andon.wire.deadline import ATTEMPT_MS, begun_by

# The hold-back: a decision waits so long for events that are on their way; `Rule.is_late` says which came too late.

VARIABLE: Final = "HOLD_BACK_SECONDS"
DEFAULT_SECONDS: Final = 30


def hold_back_ms() -> int:
    """Return the hold-back in milliseconds: the environment's, or `DEFAULT_SECONDS`."""
    return round(float(os.environ.get(VARIABLE, DEFAULT_SECONDS)) * 1000)


# Gaps: events that follow others closely, so that rules about gaps need to look at few of them. Pure.
#
# A rule decides *before a gap* if it decides nothing at an anchor that another one follows within `gap_ms`: that the
# machine has gone silent. A rule decides *after a gap* if it decides only at an anchor that comes after such a
# decision:
# that the machine is back. Both look at all that lies between their events, so nothing of this depends on their
# content.
#
# An event *follows* an earlier one closely if it came within the gap after it, and was known by the time at which
# that gap would be decided. It is *steady* if it is sure, too, that no other gap was decided that ends behind that
# one. Both are settled when the event is stored, from what lies before it, and kept in its row. A rule after a gap
# has nothing to decide at a steady event.
#
# A rule before a gap has a *timer* for each correlation key: one row of the index of due times, at an event. When it
# is due, the sweep moves it to the newest event that came within the gap, as known at the end of it; if there is
# none, the rule is evaluated at the event, and the timer ends. Where a timer moves to is settled, so that a sweep
# that is broken off and begun again moves it to the same place. An event that follows another one is in sight of the
# timer of that one: it starts none. Each other one does.
#
# A timer that got lost, by whatever accident, would be missed by nobody while events keep coming. So each
# `RENEWED_MS` one event of a key starts a timer although there should be one, and the one that there is ends there.


def following(one: StoredEvent, newest_first: Iterable[StoredEvent], *, gap_ms: int, hold_back_ms: int) -> StoredEvent:
    """Return an event with `follows_ms`, the time of its predecessor within the gap, `unsteady` and `turned`.

    newest_first: the stored events, or the newer part of them: with fewer of them, fewer follow.
    """
    before = [stored for stored in newest_first if stored.sort < one.sort and stored.topic == one.topic]
    one = one._replace(turned=not before or before[0].identity != one.identity)
    older, newest_ms = [stored for stored in before if not stored.late_by], None
    for number, last in enumerate(older):
        last_ms = last.event.timestamp_ms
        if one.event.timestamp_ms <= last_ms + gap_ms and _was_known(one, last, gap_ms + hold_back_ms):
            if _is_steady(last, older[number + 1 :], gap_ms, hold_back_ms):
                return one._replace(follows_ms=last_ms)
            newest_ms = last_ms if newest_ms is None else newest_ms
    return one._replace(follows_ms=newest_ms, unsteady=newest_ms is not None)


def _was_known(one: StoredEvent, last: StoredEvent, after_ms: int) -> bool:
    """Return True if an event had arrived `after_ms` after `last` happened."""
    return one.arrived_ms <= last.event.timestamp_ms + after_ms


def _is_steady(last: StoredEvent, older: Sequence[StoredEvent], gap_ms: int, hold_back_ms: int) -> bool:
    """Return True if no decided gap can span `last`.

    A gap ends behind an event that was not known at its end. The event was, if it was not held up; or if another one
    was known in time for all gaps that begin before that one, and the event itself for those that begin later.
    """
    if (last.follows_ms is not None and not last.unsteady) or _was_known(last, last, hold_back_ms):
        return True
    return any(_was_known(one, last, hold_back_ms) and _was_known(last, one, gap_ms + hold_back_ms) for one in older)


# Lateness: settled once, when an event is stored, and kept with it. Pure.
#
# An event is *late* for a rule if a newer one of the rule's topics had arrived more than the hold-back before it.
# That newer one may have been decided upon by then, so that the late one counts for no decision. It still belongs to
# the story. The events that had arrived before another one never change, so that nobody has to look a second time.


def late_by(one: StoredEvent, newest_first: Iterable[StoredEvent], *, hold_back_ms: int) -> frozenset[Topic]:
    """Return the topics of which a newer event had arrived more than the hold-back before `one`.

    Once its own topic is among them, it is late for every rule that it matters to, and nothing else is looked at.
    newest_first: the stored events; they are read no further than `one`.
    """
    topics: set[Topic] = set()
    for newer in newest_first:
        if newer.sort <= one.sort:
            break
        if newer.arrived_ms + hold_back_ms < one.arrived_ms:
            topics.add(newer.topic)
            if newer.topic == one.topic:
                break
    return frozenset(topics)


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
_CLOCKS_MS: Final = 1_000

# An event is stamped with its arrival before it is stored: a put that begins in time may end so much later.
STORED_WITHIN_MS: Final = BEGUN_WITHIN_MS + ATTEMPT_MS + _CLOCKS_MS


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
