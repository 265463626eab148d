"""What a rule sees of its anchor's past: the same, whatever order the events arrived in and whenever it looks. Pure.

An event of the types that a rule is evaluated at is *late* if one of those that is newer had arrived more than the
hold-back before it. By then that one may have been decided upon, so that the late one counts for no decision; it is
part of the story all the same. Whether an event is late is settled when it arrives. So is, once the hold-back is over,
what lies before an event that is not late: whatever arrives from then on is late itself. Other events, such as what
people did in between, count if they had arrived by the time that the rule is due.
"""

import math
from collections.abc import Iterable, Iterator
from enum import Enum, auto

from patterns.rules.rule import History, Rule
from patterns.rules.stored_event import StoredEvent


class NotEvaluated(Enum):
    """Why there is no history to evaluate: the anchor arrived late, or it is no longer there."""

    LATE = auto()
    GONE = auto()


def history_of(
    rule: Rule, anchor: StoredEvent, past: Iterable[StoredEvent], *, hold_back_ms: int
) -> History | NotEvaluated:
    """Look back from an anchor; `past` has the events of its key, newest first, and is read no further than needed."""
    counting = _counting(rule, anchor, past, hold_back_ms)
    after: list[StoredEvent] = []
    for one in counting:
        if one.sort <= anchor.sort:
            if one.sort < anchor.sort:
                break
            before, upto = _look_back(rule, one, counting)
            return _history(one, upto + after[::-1], before, hold_back_ms)
        if rule.after_ms and one.event.timestamp <= anchor.event.timestamp + rule.after_ms:
            after.append(one)
    return _missing(anchor, past)


def _look_back(
    rule: Rule, anchor: StoredEvent, earlier: Iterable[StoredEvent]
) -> tuple[StoredEvent | None, list[StoredEvent]]:
    """Give what ended the look-back, and the events of the window in order, the anchor the last of them."""
    seen = [anchor]
    for one in earlier:
        is_older = one.event.timestamp < anchor.event.timestamp - rule.window_ms
        if rule.until(one.event) or (is_older and rule.hears(one)):
            return one, seen[::-1]
        if not is_older:
            if len(seen) == rule.most:
                return one, seen[::-1]
            seen.append(one)
    return None, seen[::-1]


def _history(anchor: StoredEvent, events: list[StoredEvent], before: StoredEvent | None, hold_back_ms: int) -> History:
    known = events if before is None else [before, *events]
    return History(
        anchor=anchor.event,
        events=tuple(one.event for one in events),
        before=None if before is None else before.event,
        arrived_ms={one.event.id: one.arrived_ms for one in known},
        hold_back_ms=hold_back_ms,
    )


def _counting(rule: Rule, anchor: StoredEvent, past: Iterable[StoredEvent], hold_back_ms: int) -> Iterator[StoredEvent]:
    """Leave out what was late, and what had not arrived when the rule was due; at once, everything counts."""
    if rule.at_once:
        yield from past
        return
    due_ms = rule.due_ms(anchor, hold_back_ms)
    for one in _timely(rule, past, hold_back_ms):
        if one.sort == anchor.sort or one.arrived_ms <= due_ms:
            yield one


def _timely(rule: Rule, past: Iterable[StoredEvent], hold_back_ms: int) -> Iterator[StoredEvent]:
    """Leave out what was late."""
    first_arrival: float = math.inf  # of all anchors that are newer
    for one in past:
        if not rule.hears(one):
            yield one
            continue
        if one.arrived_ms <= first_arrival + hold_back_ms:
            yield one
        first_arrival = min(first_arrival, one.arrived_ms)


def _missing(anchor: StoredEvent, past: Iterable[StoredEvent]) -> NotEvaluated:
    for one in past:
        if one.sort <= anchor.sort:
            return NotEvaluated.LATE if one.sort == anchor.sort else NotEvaluated.GONE
    return NotEvaluated.GONE
