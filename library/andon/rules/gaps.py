"""Gaps: what follows what closely, so that rules about gaps need to look at few events. Pure.

A rule decides *before a gap* if it decides nothing at an anchor that another one follows within `gap_ms`: that the
machine has gone silent. A rule decides *after a gap* if it decides only at an anchor that comes after such a decision:
that the machine is back. Both look at all that lies between their events, so nothing of this depends on what these say.

An event *follows* an earlier one closely if it came within the gap after it, and was known by the time at which that
gap would be decided. It is *steady* if it is sure, too, that no other gap was decided that ends behind that one. Both
are settled when the event is stored, from what lies before it, and kept in its row. A rule after a gap has nothing to
decide at a steady event.

A rule before a gap has a *timer* for each correlation key: one row of the index of due times, at an event. When it is
due, the sweep moves it to the newest event that came within the gap, as known at the end of it; if there is none, the
rule is evaluated at the event, and the timer ends. Where a timer moves to depends on nothing but what is settled, so
that a sweep that is broken off and begun again moves it to the same place. An event that follows another one is in
sight of the timer of that one: it starts none. Each other one does.

A timer that got lost, by whatever accident, would be missed by nobody while events keep coming. So each
`RENEWED_MS` one event of a key starts a timer although there should be one, and the one that there is ends there.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Final, Protocol
from zlib import crc32

from andon.rules.history import PASSED_OVER
from andon.rules.rule import Rule
from andon.rules.stored_event import CorrelationKey, StoredEvent, time_of

RENEWED_MS: Final = 6 * 60 * 60_000


def following(one: StoredEvent, newest_first: Iterable[StoredEvent], *, gap_ms: int, hold_back_ms: int) -> StoredEvent:
    """Return an event with whom it follows closely, of those that are known, and whether it is steady.

    newest_first: what is stored, or the newer part of it: with less of it, less follows.
    """
    older = [
        stored for stored in newest_first if stored.sort < one.sort and stored.topic == one.topic and not stored.late_by
    ]
    close = {
        number: last.event.timestamp_ms
        for number, last in enumerate(older)
        if one.event.timestamp_ms <= last.event.timestamp_ms + gap_ms and _was_known(one, last, gap_ms + hold_back_ms)
    }
    for number, follows_ms in close.items():
        if _is_steady(older[number], older[number + 1 :], gap_ms, hold_back_ms):
            return one._replace(follows_ms=follows_ms)
    return one._replace(follows_ms=next(iter(close.values()), None), unsteady=bool(close))


def _was_known(one: StoredEvent, last: StoredEvent, after_ms: int) -> bool:
    """Return whether an event had arrived so long after another one happened."""
    return one.arrived_ms <= last.event.timestamp_ms + after_ms


def _is_steady(last: StoredEvent, older: Sequence[StoredEvent], gap_ms: int, hold_back_ms: int) -> bool:
    """Return whether it is sure that no gap was decided that begins before an event and ends behind it.

    A gap ends behind an event that was not known at its end. The event was, if it was not held up; or if another one
    was known in time for all gaps that begin before that one, and the event itself for those that begin later.
    """
    if (last.follows_ms is not None and not last.unsteady) or _was_known(last, last, hold_back_ms):
        return True
    return any(_was_known(one, last, hold_back_ms) and _was_known(last, one, gap_ms + hold_back_ms) for one in older)


def is_due_at(rule: Rule, anchor: StoredEvent) -> bool:
    """Return whether a rule needs a due time for an anchor: not, if it has nothing to decide there, or a timer."""
    if rule.gap_ms is None or anchor.follows_ms is None:
        return True
    if rule.before_gap:
        return is_renewed(anchor.key, anchor.follows_ms, anchor.event.timestamp_ms)
    return anchor.unsteady


def is_renewed(key: CorrelationKey, from_ms: int, to_ms: int) -> bool:
    """Return whether some event behind one time, up to another, starts the timer of its key anew."""
    shift = crc32(key.encode()) % RENEWED_MS  # not all keys at once
    return (from_ms + shift) // RENEWED_MS < (to_ms + shift) // RENEWED_MS


class EventsBehind(Protocol):
    """The events of a correlation key behind a sort key, up to a time; read no further than somebody looks."""

    def within(self, sort: str, /, *, until_ms: int) -> Iterable[StoredEvent]:
        """Return them newest first."""

    def behind(self, sort: str, /, *, until_ms: int) -> Iterable[StoredEvent]:
        """Return them oldest first."""


def newest_follower(rule: Rule, sort: str, events: EventsBehind, *, hold_back_ms: int) -> StoredEvent | None:
    """Return the newest event within the gap behind an anchor, of those that were known at its end; None: none.

    Among more late ones than are read, it is the oldest: any will do, if it is always the same.

    Raises:
        ValueError: `sort` is the place of no event.

    """
    anchor_ms = time_of(sort)
    known_by_ms, until_ms = anchor_ms + rule.after_ms + hold_back_ms, anchor_ms + rule.after_ms
    has_followed = partial(_has_followed, rule, known_by_ms=known_by_ms)
    newest_first = iter(events.within(sort, until_ms=until_ms))
    found = next(filter(has_followed, islice(newest_first, PASSED_OVER)), None)
    if found is None and next(newest_first, None) is not None:
        oldest_first = events.behind(sort, until_ms=until_ms)
        found = next(filter(has_followed, islice(oldest_first, PASSED_OVER)), None)
    return found


def _has_followed(rule: Rule, one: StoredEvent, *, known_by_ms: int) -> bool:
    return one.arrived_ms <= known_by_ms and rule.is_on(one) and not rule.is_late(one)


def ends_ms(rule: Rule, sort: str, hold_back_ms: int) -> int:
    """Return when all is known of the gap behind an anchor, if the anchor itself was not held up.

    Raises:
        ValueError: `sort` is the place of no event.

    """
    return time_of(sort) + rule.after_ms + hold_back_ms
