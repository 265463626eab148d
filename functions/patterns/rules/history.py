"""What a rule sees of its anchor's past: the same, whatever order the events arrived in and whenever it looks. Pure.

An event of the types that a rule is evaluated at is *late* if a newer one of those types had arrived more than the
hold-back before it. That newer one may have been decided upon by then, so that the late one counts for no decision. It
still belongs to the story. Whether an event is late is settled when it arrives. Once the hold-back is over, so is what
lies before an event that is not late: whatever arrives from then on is late itself. Other events, such as what people
did in between, count if they had arrived when the rule was due.
"""

import math
from collections.abc import Iterable, Iterator
from enum import Enum, auto

from patterns.rules.rule import History, Rule
from patterns.rules.stored_event import StoredEvent


class NotEvaluated(Enum):
    """Why there is no history to evaluate: the anchor arrived late, or it is no longer stored."""

    LATE = auto()
    GONE = auto()


def history_of(
    rule: Rule, anchor: StoredEvent, newest_first: Iterable[StoredEvent], *, hold_back_ms: int
) -> History | NotEvaluated:
    """Return what a rule sees at an anchor.

    newest_first: the events of the anchor's correlation key; they are read no further than needed.
    """
    counting = _counting(rule, anchor, newest_first, hold_back_ms)
    after: list[StoredEvent] = []
    for stored in counting:
        if stored.sort <= anchor.sort:
            if stored.sort < anchor.sort:
                break
            before, upto = _look_back(rule, stored, counting)
            return _history(stored, upto + after[::-1], before, hold_back_ms)
        if rule.after_ms and stored.event.timestamp_ms <= anchor.event.timestamp_ms + rule.after_ms:
            after.append(stored)
    return _why_missing(anchor, newest_first)


def _look_back(
    rule: Rule, anchor: StoredEvent, earlier: Iterable[StoredEvent]
) -> tuple[StoredEvent | None, list[StoredEvent]]:
    """Return what ended the look-back, and the events of the window in order, the anchor the last of them."""
    seen = [anchor]
    for stored in earlier:
        is_older = stored.event.timestamp_ms < anchor.event.timestamp_ms - rule.window_ms
        if rule.until(stored.event) or (is_older and rule.is_on(stored)):
            return stored, seen[::-1]
        if not is_older:
            if len(seen) == rule.most:
                return stored, seen[::-1]
            seen.append(stored)
    return None, seen[::-1]


def _history(anchor: StoredEvent, events: list[StoredEvent], before: StoredEvent | None, hold_back_ms: int) -> History:
    known = events if before is None else [before, *events]
    return History(
        anchor=anchor.event,
        events=tuple(stored.event for stored in events),
        before=None if before is None else before.event,
        arrived_ms={stored.event.id: stored.arrived_ms for stored in known},
        hold_back_ms=hold_back_ms,
    )


def _counting(
    rule: Rule, anchor: StoredEvent, newest_first: Iterable[StoredEvent], hold_back_ms: int
) -> Iterator[StoredEvent]:
    """Leave out what was late, and what had not arrived when the rule was due; for `at_once` everything counts."""
    if rule.at_once:
        yield from newest_first
        return
    due_ms = rule.due_ms(anchor, hold_back_ms)
    for stored in _timely(rule, newest_first, hold_back_ms):
        if stored.sort == anchor.sort or stored.arrived_ms <= due_ms:
            yield stored


def _timely(rule: Rule, newest_first: Iterable[StoredEvent], hold_back_ms: int) -> Iterator[StoredEvent]:
    """Leave out what was late."""
    first_arrival_ms: float = math.inf  # of all newer events that the rule is on
    for stored in newest_first:
        if not rule.is_on(stored):
            yield stored
            continue
        if stored.arrived_ms <= first_arrival_ms + hold_back_ms:
            yield stored
        first_arrival_ms = min(first_arrival_ms, stored.arrived_ms)


def _why_missing(anchor: StoredEvent, newest_first: Iterable[StoredEvent]) -> NotEvaluated:
    for stored in newest_first:
        if stored.sort <= anchor.sort:
            return NotEvaluated.LATE if stored.sort == anchor.sort else NotEvaluated.GONE
    return NotEvaluated.GONE
