"""Rules at an anchor -> decision rows. Each is put once, whoever evaluates and however often."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.errors import ConditionFailed, ItemRefused
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.dynamodb.ttl import ATTRIBUTE, ttl_at
from andon.events.domain_event import MAX_TIMESTAMP_MS, DomainEvent
from andon.events.fault import fault_of
from andon.events.hops import hops_after
from andon.events.publish import NotPublished, publish
from andon.rules.gaps import newest_follower
from andon.rules.history import NotEvaluated, history_of
from andon.rules.hold_back import hold_back_ms
from andon.rules.micro_event_store import Past
from andon.rules.rule import RULE, Decision, DecisionAttributes, History, Rule, Rules
from andon.rules.stored_event import BEHIND_ALL, EXPIRE, UNREADABLE, CorrelationKey, StoredEvent
from andon.runtime import clock, strict_json
from andon.runtime.errors import CallFailed, Poison


class Verdict(StrEnum):
    """What became of an evaluation, or of one of its decisions.

    `DECIDED`: its row was put. `STANDS`: the row was there already. `NOTHING`: there was nothing to decide. `LATE`: the
    anchor arrived too late to be decided upon. `GONE`: the anchor is no longer stored. `FLOODED`: too much that does
    not count lies around it. `FAULT`: the rule fails at it, and always will.
    """

    DECIDED = "decided"
    STANDS = "stands"
    NOTHING = "nothing"
    LATE = "late"
    GONE = "gone"
    FLOODED = "flooded"
    FAULT = "fault"


Counts = Counter[str]
"""What was done, by name (a `Verdict`, or what a trigger or a sweep counts beside), and how often."""


def no_context(key: CorrelationKey) -> None:
    """Know nothing of a correlation key."""


class Control(NamedTuple):
    """What a control service decides by, and where it writes that down.

    ttl_days: how long own facts are stored, from their own time.
    context_of: correlation key -> what the service knows beside events, for the rules that need it.
    remembers: type of an own fact -> the correlation key under which it is stored beside the events of others.
    """

    table: Table
    rules: Rules
    ttl_days: int
    context_of: Callable[[CorrelationKey], object] = no_context
    remembers: Mapping[str, Callable[[DomainEvent], CorrelationKey]] = {}


class Evaluator:
    """Evaluates rules at anchors of one correlation key; reads what lies around them and the key's context once."""

    def __init__(self, control: Control, key: CorrelationKey, *, anchors: Sequence[str], now_ms: int) -> None:
        self._control, self._key, self._now_ms = control, key, now_ms
        self._past = Past(control.table, key, anchors=anchors, now_ms=now_ms, unread=self._set_aside)

    def knows_enough_for(self, rule: Rule) -> bool:
        """Return whether a rule has the context that it needs: without it, it decides nothing."""
        try:
            return not rule.needs_context or self._context is not None
        except Poison:
            return True  # the evaluation makes a fault of it

    @cached_property
    def _context(self) -> object:
        return self._control.context_of(self._key)

    def find(self, sort: str) -> StoredEvent | None:
        """Return the event of a sort key, if it is still stored."""
        upto = next(self._past.upto(sort), None)
        return upto if upto and upto.sort == sort else None

    def newest_behind(self, sort: str, *, most: int) -> list[StoredEvent] | None:
        """Return the events behind a sort key, newest first; None: there are more, or reading ended before it."""
        behind = list[StoredEvent]()
        for stored in self._past.upto(BEHIND_ALL):
            if stored.sort <= sort:
                return behind
            if len(behind) == most:
                return None
            behind.append(stored)
        return None

    def oldest_behind(self, sort: str) -> Iterator[StoredEvent]:
        """Return the events behind a sort key, oldest first, read no further than somebody looks."""
        return self._past.behind(sort, until_ms=MAX_TIMESTAMP_MS)

    def newest_follower(self, rule: Rule, sort: str) -> StoredEvent | None:
        """Return the newest event that followed an anchor of a rule before a gap; None: none did."""
        return newest_follower(rule, sort, self._past, hold_back_ms=hold_back_ms())

    def evaluate(self, anchor: StoredEvent, rules: Iterable[Rule]) -> Counts:
        """Evaluate rules at an anchor and put their decisions; what can never be evaluated becomes a fault."""
        counts = Counts()
        for rule in rules:
            try:
                counts.update(self._evaluate(anchor, rule))
            except (Unevaluable, Poison) as error:
                message = strict_json.dumps(anchor.row(self._control.table.keys))
                publish_fault(_cause_of(error), self._control, message, by=f"rule-{rule.id}")
                counts[Verdict.FAULT] += 1
        return counts

    def would_decide(self, anchor: StoredEvent, rule: Rule) -> bool:
        """Return whether a rule decides anything at an anchor by what is stored so far; True, if nobody can tell."""
        try:
            rows = self._rows_at(anchor, rule)
        except (Unevaluable, Poison):
            return True
        return isinstance(rows, NotEvaluated) or bool(rows)

    def _evaluate(self, anchor: StoredEvent, rule: Rule) -> list[Verdict]:
        rows = self._rows_at(anchor, rule)
        if isinstance(rows, NotEvaluated):
            return [Verdict[rows.name]]
        return [_put(self._control.table, row) for row in rows] or [Verdict.NOTHING]

    def _rows_at(self, anchor: StoredEvent, rule: Rule) -> list[Item] | NotEvaluated:
        """Return the rows that a rule decides at an anchor.

        Raises:
            Unevaluable: what is pure of the rule fails.

        """
        if not self.knows_enough_for(rule):
            return []
        with _pure():
            history = history_of(rule, anchor, self._past, hold_back_ms=hold_back_ms())
        if isinstance(history, NotEvaluated):
            return history
        context = self._context if rule.needs_context else None
        with _pure():
            return [row_of(rule, decision) for decision in decisions_of(rule, replace(history, context=context))]

    def _set_aside(self, row: Item, error: Exception) -> None:
        """Make a fault of a row that nobody can read, and mark it, so that it is passed over from then on."""
        publish_unreadable(error, self._control, row)
        lasts = row.get(ATTRIBUTE)
        ttl = lasts if type(lasts) is int else ttl_at(self._now_ms, self._control.ttl_days)
        kept = {name: value for name, value in row.items() if name != EXPIRE}
        self._control.table.put(
            {**kept, "discriminator": UNREADABLE, ATTRIBUTE: ttl},
            condition=UNCONDITIONAL,
        )


class Unevaluable(Exception):
    """What is pure of a rule fails at an event: it would fail in the same way for ever."""


@contextmanager
def _pure() -> Iterator[None]:
    """Raise what a rule is to blame for as `Unevaluable`; reading the past may fail in between, which is no rule's."""
    try:
        yield
    except (CallFailed, NotPublished):
        raise
    except Exception as error:
        raise Unevaluable from error


def _cause_of(error: Exception) -> Exception:
    return error.__cause__ if isinstance(error, Unevaluable) and isinstance(error.__cause__, Exception) else error


def _put(table: Table, row: Item) -> Verdict:
    try:
        table.put(row, condition=table.absent)
    except ConditionFailed:
        return Verdict.STANDS
    except ItemRefused as error:
        raise Poison("DynamoDB refuses the decision as invalid") from error
    return Verdict.DECIDED


def decisions_of(rule: Rule, history: History) -> list[Decision]:
    """Return what a rule decides upon a history.

    Raises:
        ValueError: the key of a decision depends on the id of an event, so that another order of arrival would decide
            twice. That a key contains such an id proves nothing: whoever publishes an event chooses its id.

    """
    decisions = [*rule.expression(history)]
    if any(_contains_trigger(decision) for decision in decisions):
        otherwise = rule.expression(_under_other_ids(history))
        if [decision.key for decision in decisions] != [decision.key for decision in otherwise]:
            raise ValueError(f"rule {rule.id}: the key of a decision names the rule and its subject, never a trigger")
    return decisions


def _contains_trigger(decision: Decision) -> bool:
    key = " ".join(map(str, decision.key.values()))
    return any(event.id in key for event in decision.triggers)


def _under_other_ids(history: History) -> History:
    """Return the same history, of events that have other ids."""
    ids = {event_id: f"event {number}" for number, event_id in enumerate(history.arrived_ms)}
    return replace(
        history,
        anchor=history.anchor._replace(id=ids[history.anchor.id]),
        events=tuple(event._replace(id=ids[event.id]) for event in history.events),
        before=history.before and history.before._replace(id=ids[history.before.id]),
        arrived_ms={ids[event_id]: arrived_ms for event_id, arrived_ms in history.arrived_ms.items()},
    )


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


def publish_unreadable(error: Exception, control: Control, row: Item) -> None:
    """Publish the fault of a row in the store that nobody can read; it has one id, whoever meets it."""
    publish_fault(error, control, strict_json.dumps(row), by="store")


def publish_fault(error: Exception, control: Control, message: str, *, by: str) -> None:
    """Publish the fault of what a rule, the trigger or the sweep can never process."""
    source = control.rules.source
    publish([fault_of(error, message, consumer=f"{source}.{by}", now_ms=clock.now_ms())], source=source)
