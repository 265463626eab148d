"""The history of an anchor: the same, whatever order the events arrived in and whenever a rule looks. Pure.

Events that were late for the rule count for nothing (`late.py`). Once the hold-back is over, what lies before an event
that is not late is settled: whatever arrives from then on is late itself. Other events, such as those of people in
between, count if they had arrived when the rule was due.
"""

from collections.abc import Callable, Iterable, Iterator
from enum import Enum, auto
from functools import partial
from itertools import islice
from typing import NamedTuple, Protocol

from andon.rules.rule import History, Rule
from andon.rules.stored_event import StoredEvent
from andon.rules.timing import PASSED_OVER


class EventsAround(Protocol):
    """The events of a correlation key, read no further than somebody looks."""

    def upto(self, sort: str, /) -> Iterable[StoredEvent]:
        """Return the events from a sort key on, newest first."""

    def behind(self, sort: str, /, *, until_ms: int) -> Iterable[StoredEvent]:
        """Return the events behind a sort key up to a time, oldest first."""


class NotEvaluated(Enum):
    """The reason for which there is no history.

    The anchor arrived late, or it is no longer stored, or there is more around it than the rule looks at: what lies
    behind that may say otherwise.
    """

    LATE = auto()
    GONE = auto()
    FLOODED = auto()


def history_of(rule: Rule, anchor: StoredEvent, events: EventsAround, *, hold_back_ms: int) -> History | NotEvaluated:
    """Return the history of an anchor; `events` are those of its correlation key."""
    newest_first = iter(events.upto(anchor.sort))
    stored = next(newest_first, None)
    if stored is None or stored.sort != anchor.sort:
        return NotEvaluated.GONE
    if rule.is_late(stored):
        return NotEvaluated.LATE
    counts = _counting(rule, stored, hold_back_ms)
    earlier = _look_back(rule, stored, newest_first, counts)
    if earlier is None:
        return NotEvaluated.FLOODED
    later = _look_ahead(rule, stored, events, counts)
    return NotEvaluated.FLOODED if later is None else _history(stored, earlier, later, hold_back_ms)


def _counting(rule: Rule, anchor: StoredEvent, hold_back_ms: int) -> Callable[[StoredEvent], bool]:
    """Return the predicate of the events that count; for a timing that does not wait all do."""
    if not rule.timing.waits:
        return lambda _: True
    return partial(counts_by, rule, due_ms=rule.due_ms(anchor, hold_back_ms))


def counts_by(rule: Rule, stored: StoredEvent, *, due_ms: int) -> bool:
    """Return True if an event was not late, and had arrived when the rule was due."""
    return stored.arrived_ms <= due_ms and not rule.is_late(stored)


class _LookBack(NamedTuple):
    """The event that ended a look-back, and those of the window in order, the anchor the last of them.

    is_cut: more than the rule looks at lie in the window.
    """

    before: StoredEvent | None
    upto: list[StoredEvent]
    is_cut: bool = False


def _look_back(
    rule: Rule, anchor: StoredEvent, earlier: Iterator[StoredEvent], counts: Callable[[StoredEvent], bool]
) -> _LookBack | None:
    """Look back from an anchor. None: its window has more events than are read, or than the rule can do without."""
    seen = [anchor]
    for stored in islice(earlier, rule.most + PASSED_OVER):
        if not counts(stored):
            continue
        is_older = stored.event.timestamp_ms < anchor.event.timestamp_ms - rule.window_ms
        if rule.until(stored.event) or (is_older and rule.is_on(stored)):
            return _LookBack(stored, seen[::-1])
        if not is_older:
            if len(seen) == rule.most:
                return _LookBack(stored, seen[::-1], is_cut=True) if rule.nearest_suffice else None
            seen.append(stored)
    return None if next(earlier, None) else _LookBack(None, seen[::-1])


def _look_ahead(
    rule: Rule, anchor: StoredEvent, events: EventsAround, counts: Callable[[StoredEvent], bool]
) -> list[StoredEvent] | None:
    """Return the events behind the anchor until the rule was due, in order, up to one that ends the look.

    None: there are more than the rule looks at.
    """
    now_ms, until_ms, seen = anchor.event.timestamp_ms, rule.due_at(anchor.event), list[StoredEvent]()
    later = iter(events.behind(anchor.sort, until_ms=until_ms) if until_ms > now_ms else ())
    for stored in islice(later, rule.most + PASSED_OVER):
        if not counts(stored):
            continue
        if len(seen) == rule.most:
            return None
        seen.append(stored)
        if stored.event.timestamp_ms > now_ms and rule.until(stored.event):
            return seen
    return None if next(later, None) else seen


def _history(anchor: StoredEvent, back: _LookBack, later: list[StoredEvent], hold_back_ms: int) -> History:
    before, events = back.before, back.upto + later
    known = events if before is None else [before, *events]
    return History(
        anchor=anchor.event,
        events=tuple(stored.event for stored in events),
        before=None if before is None else before.event,
        arrived_ms={stored.event.id: stored.arrived_ms for stored in known},
        hold_back_ms=hold_back_ms,
        is_cut=back.is_cut,
    )
