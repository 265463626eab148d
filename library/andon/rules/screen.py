"""The screen: most events get no due time, for a look says that nothing will be decided at them.

Where a rule hardly ever decides, a due time for each event is two writes and a query for nothing. A *screened* rule is
looked at by the trigger, when an event arrives, over what is stored by then. Only an event at which it would decide
something gets a due time. The sweep decides then, as ever, over all that counts: a look puts no decision.

The decisions are those of a due time for each event, in every order of arrival:

1. What a screened rule decides at an event F follows from F and those events before F in the order of time that count
   at F: they are not late, and had arrived when F was due. Both are settled when an event is stored.
2. Of all these, let E be the one that was stored last. It is F itself, or lies before F, which is its *follower*.
3. Whenever the trigger handles E, all of them are stored, and it reads consistently. So if it looks at F then, it sees
   exactly what the sweep will see. An earlier look at F may be wrong. If it finds something, there is a due time too
   many, at which the sweep decides nothing; if it finds nothing, E makes up for it.
4. So the trigger looks at each event that arrives, and at its followers: those at which it counts and that were stored
   before it. (Others are looked at when they are handled themselves.) Events do not say when they were stored, but when
   they arrived, which is at most `STORED_WITHIN_MS` before.
5. The row of what is due follows from F alone, whoever puts it, and names all rules that are due then. So looks need
   no order among each other, and a batch that comes again puts the same rows.

Mostly nothing lies behind an event that arrives. So a key costs one query for each batch: from its newest event back to
where the look-back ends. An event that is late for the rule counts nowhere, and nobody looks.

In a flood nobody looks either: where more than `MOST_BEHIND` events lie behind the oldest that arrived, all that
arrived are due, and so are their followers, as far away as a look-back reads: from further away nothing is seen.
If the stream lags, each batch finds the followers that the last one found. So a process remembers the rows that it put
without a look, and puts none twice: if one is gone, it was swept when all that counts was stored.

Where a rule fails in a look, the event is due: the sweep makes the fault. The context is that of the look: what a rule
would decide only by a context that comes later, it does not decide. An event that expires between a look and the sweep
may make a difference, as it does between two sweeps.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from andon.dynamodb.attribute_values import Item
from andon.rules.control_service import Control
from andon.rules.due import Due
from andon.rules.evaluate import Evaluator, counts_by
from andon.rules.hold_back import hold_back_ms
from andon.rules.micro_event_store import PAGE, PAGES_OF_NEWER, STORED_WITHIN_MS
from andon.rules.past import Past
from andon.rules.plan import dues_at_arrival, is_screened
from andon.rules.rule import Rule, Rules
from andon.rules.stored_event import StoredEvent
from andon.rules.timing import PASSED_OVER
from andon.runtime.tried import Failed, tried

# As many newer events as are read when an event is stored; behind more of them, it is late.
MOST_BEHIND: Final = PAGE * PAGES_OF_NEWER

# Rows that a process remembers: a few batches of a flood.
MOST_REMEMBERED: Final = 10_000


class RowsPut:
    """The rows that were put without a look, the newest of them."""

    def __init__(self) -> None:
        self._keys: dict[tuple[str, str], None] = {}

    def __contains__(self, row: Item) -> bool:
        return self._key_of(row) in self._keys

    def add(self, row: Item) -> None:
        """Remember a row, and forget the oldest."""
        self._keys[self._key_of(row)] = None
        if len(self._keys) > MOST_REMEMBERED:
            del self._keys[next(iter(self._keys))]

    @staticmethod
    def _key_of(row: Item) -> tuple[str, str]:
        return row["key"], row["anchor"]


_PUT: Final = WeakKeyDictionary[Rules, RowsPut]()  # one for each service of the process


def due_rows_found(arrivals: Iterable[StoredEvent], evaluator: Evaluator, control: Control) -> Iterator[Item]:
    """Return the due rows of screened rules, as follows from the events that arrived under the evaluator's key."""
    able = [rule for rule in control.rules.screened if evaluator.knows_enough_for(rule)]
    counting = {one.sort: one for one in arrivals if not all(rule.is_late(one) for rule in able)}
    if not counting:
        return
    new = [one for _, one in sorted(counting.items())]
    behind = evaluator.past.newest_behind(new[0].sort, most=MOST_BEHIND)
    if behind is None:
        followers = _within_reach(new, able, evaluator.past)
        yield from _not_put_yet(_Look(control, able, new, None).due_rows((*new, *followers)), control.rules)
    else:
        yield from _Look(control, able, new, evaluator).due_rows((*new, *behind))


def _not_put_yet(rows: Iterable[Item], rules: Rules) -> Iterator[Item]:
    put = _PUT.setdefault(rules, RowsPut())
    for row in rows:
        if row not in put:
            yield row
            put.add(row)  # it was put, else nobody would have asked for the next one


class _Look(NamedTuple):
    """A look for events that are new; without an evaluator nobody looks, and every rule that is concerned is due.

    able: the screened rules that know enough. new: the events that arrived and count.
    """

    control: Control
    able: Sequence[Rule]
    new: Sequence[StoredEvent]
    evaluator: Evaluator | None

    def due_rows(self, anchors: Iterable[StoredEvent]) -> Iterator[Item]:
        """Return the due rows of screened rules at events where they would decide something."""
        for anchor in {one.sort: one for one in anchors}.values():
            for due, row in self._possible(anchor):
                if self._is_needed(due, anchor):
                    yield row

    def _possible(self, anchor: StoredEvent) -> list[tuple[Due, Item]]:
        """Return the due rows that an event would have if its rules were not screened."""
        possible = tried(self._dues_at, anchor)
        return [] if isinstance(possible, Failed) else possible  # it became a fault when it arrived

    def _dues_at(self, anchor: StoredEvent) -> list[tuple[Due, Item]]:
        rules = self.control.rules
        dues = [*dues_at_arrival(anchor, rules.at_stored(anchor), hold_back_ms=hold_back_ms())]
        return [(due, due.row(self.control.table.keys)) for due in dues if is_screened(due, rules)]

    def _is_needed(self, due: Due, anchor: StoredEvent) -> bool:
        concerned = [rule for rule in self.able if rule.id in due.rules and self._is_concerned(rule, anchor, due.at_ms)]
        looks = None if self.evaluator is None or self.evaluator.is_spent else self.evaluator
        return any(looks is None or looks.evaluate(anchor, rule).may_decide for rule in concerned)

    def _is_concerned(self, rule: Rule, anchor: StoredEvent, due_ms: int) -> bool:
        """Return True if new events may change the decision of a rule at an anchor."""
        return any(one.sort == anchor.sort or _is_seen(rule, one, anchor, due_ms) for one in self.new)


def _is_seen(rule: Rule, one: StoredEvent, follower: StoredEvent, due_ms: int) -> bool:
    """Return True if an event counts at its follower, and may have been stored after it."""
    was_there = follower.arrived_ms <= one.arrived_ms + STORED_WITHIN_MS
    return one.sort < follower.sort and was_there and counts_by(rule, one, due_ms=due_ms)


def _within_reach(new: Sequence[StoredEvent], rules: Iterable[Rule], past: Past) -> Iterator[StoredEvent]:
    """Return the events from which a look-back could come to one that is new; each is read once."""
    most = max(rule.most for rule in rules) + PASSED_OVER + 1  # the new one itself is among them
    waiting = [one.sort for one in reversed(new)]
    while waiting:
        left = most
        for stored in past.oldest_behind(waiting.pop()):
            while waiting and waiting[-1] <= stored.sort:
                waiting.pop()
                left = most
            if not left:
                break
            left -= 1
            yield stored
