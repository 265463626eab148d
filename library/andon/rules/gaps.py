"""Gaps: events that follow others closely, so that rules about gaps need to look at few of them. Pure.

A rule decides *before a gap* if it decides nothing at an anchor that another one follows within `gap_ms`: that the
machine has gone silent. A rule decides *after a gap* if it decides only at an anchor that comes after such a decision:
that the machine is back. Both look at all that lies between their events, so nothing of this depends on their content.

An event *follows* an earlier one closely if it came within the gap after it, and was known by the time at which that
gap would be decided. It is *steady* if it is sure, too, that no other gap was decided that ends behind that one. Both
are settled when the event is stored, from what lies before it, and kept in its row. A rule after a gap has nothing to
decide at a steady event.

A rule before a gap has a *timer* for each correlation key: one row of the index of due times, at an event. When it is
due, the sweep moves it to the newest event that came within the gap, as known at the end of it; if there is none, the
rule is evaluated at the event, and the timer ends. Where a timer moves to is settled, so
that a sweep that is broken off and begun again moves it to the same place. An event that follows another one is in
sight of the timer of that one: it starts none. Each other one does.

A timer that got lost, by whatever accident, would be missed by nobody while events keep coming. So each
`RENEWED_MS` one event of a key starts a timer although there should be one, and the one that there is ends there.
"""

from collections.abc import Iterable, Sequence

from andon.rules.stored_event import StoredEvent


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
