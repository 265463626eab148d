"""Rules at anchors of one correlation key -> the rows that they decide, and their writes on condition."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum, auto
from functools import cached_property, partial
from itertools import islice
from typing import Final, NamedTuple, Protocol

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import ConditionFailed, ItemRefused
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.dynamodb.ttl import ATTRIBUTE, EXPIRE, ttl_at
from andon.events.fault import fault_of
from andon.events.hops import hops_after
from andon.events.publish import publish
from andon.rules.micro_event_store import hold_back_ms
from andon.rules.past import Past, UnreadableRow
from andon.rules.plan import DuePlan
from andon.rules.rule import RULE, Control, Counts, Decision, DecisionAttributes, History, Rule, Verdict
from andon.rules.stored_event import UNREADABLE, CorrelationKey, StoredEvent
from andon.rules.timing import PASSED_OVER, Due
from andon.runtime import clock, strict_json
from andon.runtime.errors import CallFailed, Poison
from andon.runtime.strict_json import is_whole
from andon.wire.in_parallel import in_parallel

# A history -> the rows that a rule decides upon it. Pure.


def decide(rule: Rule, history: History) -> list[Item]:
    """Return the rows that a rule decides upon a history.

    Raises:
        ValueError: the key of a decision depends on the id of an event, so that another order of arrival would decide
            twice. That a key contains such an id proves nothing: whoever publishes an event chooses its id.

    """
    decisions = [*rule.expression(history)]
    if any(_contains_trigger(decision) for decision in decisions):
        otherwise = rule.expression(_under_other_ids(history))
        if [decision.key for decision in decisions] != [decision.key for decision in otherwise]:
            raise ValueError(f"rule {rule.id}: the key of a decision names the rule and its subject, never a trigger")
    return [row_of(rule, decision) for decision in decisions]


def row_of(rule: Rule, decision: Decision) -> Item:
    """Return the row of a decision: its own attributes and `DecisionAttributes`."""
    attributes: DecisionAttributes = {
        "by": RULE,
        "rule": rule.id,
        "triggers": [
            {"id": event.id, "type": event.type, "timestamp": event.timestamp_ms} for event in decision.triggers
        ],
        "hops": hops_after(*decision.triggers),
    }
    return {**decision.row, **decision.key, **attributes}


def _contains_trigger(decision: Decision) -> bool:
    key = " ".join(map(str, decision.key.values()))
    return any(event.id in key for event in decision.triggers)


def _under_other_ids(history: History) -> History:
    """Return the same history, of events that have other ids."""
    ids = {event_id: f"event {number}" for number, event_id in enumerate(history.arrived_ms)}
    return history._replace(
        anchor=history.anchor._replace(id=ids[history.anchor.id]),
        events=tuple(event._replace(id=ids[event.id]) for event in history.events),
        before=history.before and history.before._replace(id=ids[history.before.id]),
        arrived_ms={ids[event_id]: arrived_ms for event_id, arrived_ms in history.arrived_ms.items()},
    )


# The history of an anchor: the same, whatever order the events arrived in and whenever a rule looks. Pure.
#
# Events that were late for the rule count for nothing (`is_late`). Once the hold-back is over, what lies before an
# event that is not late is settled: whatever arrives from then on is late itself. Other events, such as those of
# people in between, count if they had arrived when the rule was due.


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


# Events that rules look at for one key in one go, which takes some 0.1 s: then it is the turn of others.
MOST_LOOKED: Final = 10_000


class Evaluation(NamedTuple):
    """A rule at an anchor: the rows that it decides, the verdict if it decides none, the error if it fails there.

    anchor: None if it is no longer stored.
    """

    rule: Rule
    anchor: StoredEvent | None
    rows: Sequence[Item] = ()
    verdict: Verdict = Verdict.NOTHING
    error: Exception | None = None

    @property
    def may_decide(self) -> bool:
        """True if it decides something, or if nobody can tell."""
        return bool(self.rows) or self.error is not None or self.verdict is not Verdict.NOTHING


class Evaluator:
    """Evaluates rules at anchors of one correlation key; reads the events around them and the key's context once."""

    def __init__(self, control: Control, key: CorrelationKey, *, anchors: Sequence[str], now_ms: int) -> None:
        self.control, self.key = control, key
        self.past = Past(control.table, key, anchors=anchors, now_ms=now_ms)

    @property
    def is_spent(self) -> bool:
        """True if the key has had its share: the rest of its anchors must wait."""
        return self.past.looked >= MOST_LOOKED

    def knows_enough_for(self, rule: Rule) -> bool:
        """Return True if the context that a rule needs is there: without it, the rule decides nothing."""
        try:
            return not rule.needs_context or rule.enough(self._context)
        except Poison:
            return True  # the evaluation makes a fault of it

    @cached_property
    def _context(self) -> object:
        return self.control.context_of(self.key)

    def evaluate_stored(self, sort: str, rule: Rule) -> Evaluation:
        """Evaluate a rule at the event of a sort key, which is not read for a rule without its context."""
        if not self.knows_enough_for(rule):
            return Evaluation(rule, None)
        anchor = self.past.find(sort)
        return self.evaluate(anchor, rule) if anchor else Evaluation(rule, None, verdict=Verdict.GONE)

    def evaluate(self, anchor: StoredEvent, rule: Rule) -> Evaluation:
        """Evaluate a rule at an anchor."""
        try:
            rows = self._rows_at(anchor, rule)
        except Unevaluable as error:
            return Evaluation(rule, anchor, verdict=Verdict.FAULT, error=error.why)
        except Poison as error:
            return Evaluation(rule, anchor, verdict=Verdict.FAULT, error=error)
        if isinstance(rows, NotEvaluated):
            return Evaluation(rule, anchor, verdict=Verdict[rows.name])
        return Evaluation(rule, anchor, rows)

    def _rows_at(self, anchor: StoredEvent, rule: Rule) -> list[Item] | NotEvaluated:
        """Return the rows that a rule decides at an anchor.

        Raises:
            Unevaluable: a pure part of the rule fails.

        """
        if not self.knows_enough_for(rule):
            return []
        with _pure():
            history = history_of(rule, anchor, self.past, hold_back_ms=hold_back_ms())
        if isinstance(history, NotEvaluated):
            return history
        context = self._context if rule.needs_context else None
        with _pure():
            return decide(rule, history._replace(context=context))


class Unevaluable(Exception):
    """A pure part of a rule fails at an event: it would fail in the same way for ever."""

    def __init__(self, why: Exception) -> None:
        super().__init__(str(why))
        self.why = why


@contextmanager
def _pure() -> Iterator[None]:
    """Raise the failure of a rule as `Unevaluable`; reading the past may fail in between, which is no rule's."""
    try:
        yield
    except CallFailed:
        raise
    except Exception as error:
        raise Unevaluable(error) from error


# Evaluations and plans -> rows. Each row is put under a key that is the same each time, however often that happens.

RowKey = tuple[str | int, ...]
"""A primary key."""

_EXPIRES_BEFORE: Final = Condition("#ttl < :ttl", {"ttl": ATTRIBUTE})
"""Of a row that is still there; `:ttl` is the one that it is to have."""


def write_decisions(evaluations: Iterable[Evaluation], control: Control, standing: set[RowKey]) -> Counts:
    """Put the rows that rules decided, each unless it is there; publish the fault of a rule that fails.

    standing: the keys of decisions that are there, which are not put again; it is added to.
    """
    counts = Counts()
    for evaluation in evaluations:
        counts.update(_written(evaluation, control, standing))
    return counts


def _written(evaluation: Evaluation, control: Control, standing: set[RowKey]) -> list[Verdict]:
    error = evaluation.error
    if error is None:
        try:
            return [_put(row, control, standing) for row in evaluation.rows] or [evaluation.verdict]
        except Poison as poison:
            error = poison
    if evaluation.anchor is not None:
        publish_event_fault(error, control, evaluation.anchor, by=f"rule-{evaluation.rule.id}")
    return [Verdict.FAULT]


def _put(row: Item, control: Control, standing: set[RowKey]) -> Verdict:
    key = tuple(row[name] for name in control.table.keys.names)
    if key in standing:
        return Verdict.STANDS
    try:
        control.table.put(row, condition=control.table.absent)
    except ConditionFailed:
        verdict = Verdict.STANDS
    except ItemRefused as error:
        raise Poison("DynamoDB refuses the decision as invalid") from error
    else:
        verdict = Verdict.DECIDED
    standing.add(key)
    return verdict


def write_due_rows(rows: Iterable[Item], control: Control) -> Counts:
    """Put rows of the index."""
    counts = Counts()
    for row in rows:
        control.table.put(row, condition=UNCONDITIONAL)
        counts["scheduled"] += 1
    return counts


def settle_due(due: Due, plan: DuePlan, control: Control) -> Counts:
    """Keep events for longer, put the due rows that replace one that is done, then delete it."""
    table = control.table
    in_parallel([partial(_keep, stored, control) for stored in plan.kept])
    for again in (*plan.timers, *([plan.unknown] if plan.unknown else ())):
        put_beside(again, control)
    table.delete(due.row_key(table.keys))
    unknown = len(plan.unknown.rules) if plan.unknown else 0
    return Counts({"due": 1, "moved": plan.moved, "unknown": unknown, Verdict.GONE: plan.gone})


def _keep(stored: StoredEvent, control: Control) -> None:
    """Let an event that is still there expire later."""
    with suppress(ConditionFailed):
        control.table.put(
            stored.row(control.table.keys), condition=_EXPIRES_BEFORE._replace(values={"ttl": stored.ttl})
        )


def put_beside(due: Due, control: Control) -> None:
    """Put a row of the index, a millisecond later if one of other rules at its anchor is there."""
    while True:
        row = due.row(control.table.keys)
        try:
            control.table.put(row, condition=control.table.absent)
        except ConditionFailed as failed:
            if failed.row != row:
                due = due._replace(at_ms=due.at_ms + 1)
                continue
        return


def set_aside(rows: Iterable[UnreadableRow], control: Control, *, now_ms: int) -> None:
    """Publish the faults of rows that nobody can read, and mark them, so that they are passed over from then on."""
    for row, error in rows:
        publish_unreadable(error, control, row)
        lasts = row.get(ATTRIBUTE)
        ttl = lasts if is_whole(lasts) else ttl_at(now_ms, control.ttl_days)
        kept = {name: value for name, value in row.items() if name != EXPIRE}
        control.table.put({**kept, "discriminator": UNREADABLE, ATTRIBUTE: ttl}, condition=UNCONDITIONAL)


def publish_unreadable(error: Exception, control: Control, row: Item) -> None:
    """Publish the fault of an unreadable row in the store; its id is the same in each process."""
    publish_fault(error, control, strict_json.dumps(row), by="store")


def publish_event_fault(error: Exception, control: Control, stored: StoredEvent, *, by: str) -> None:
    """Publish the fault of a stored event that a rule or the trigger can never process."""
    publish_fault(error, control, strict_json.dumps(stored.row(control.table.keys)), by=by)


def publish_fault(error: Exception, control: Control, message: str, *, by: str) -> None:
    """Publish the fault of a message that a rule, the trigger or the sweep can never process."""
    source = control.rules.source
    publish([fault_of(error, message, consumer=f"{source}.{by}", now_ms=clock.now_ms())], source=source)
