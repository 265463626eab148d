"""Rules at an anchor -> decision rows, each put once, whoever evaluates and however often."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from patterns.dynamodb.client import Table
from patterns.dynamodb.errors import ConditionFailed, ItemRefused
from patterns.events.fault import fault_of
from patterns.events.publish import publish
from patterns.rules.history import NotEvaluated, history_of
from patterns.rules.hold_back import hold_back_ms
from patterns.rules.micro_event_store import Past
from patterns.rules.rule import BY, RULE, TRIGGERS, Decision, Rule, Rules
from patterns.rules.stored_event import StoredEvent
from patterns.runtime import clock, strict_json
from patterns.runtime.errors import CallFailed, Poison


class Verdict(StrEnum):
    """What became of an evaluation, or of one of its decisions.

    `DECIDED`: its row was put. `STANDS`: it was there already. `NOTHING`: nothing was to be decided. `LATE`: the anchor
    came too late to be decided upon. `GONE`: it is no longer there. `FAULT`: the rule fails at it, and always will.
    """

    DECIDED = "decided"
    STANDS = "stands"
    NOTHING = "nothing"
    LATE = "late"
    GONE = "gone"
    FAULT = "fault"


Counts = Counter[str]
"""By verdict."""


def nothing_given(key: str) -> None:
    """Tell nothing of a correlation key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """What a control service decides by, and where it writes that down.

    given: correlation key -> what the service knows beside events, for the rules that are `informed`.
    remembers: type of an own fact -> the key under which it is stored beside the events that were heard.
    ttl_days: how long own facts are stored, from their own time.
    """

    table: Table
    rules: Rules
    given: Callable[[str], Any] = nothing_given
    remembers: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    ttl_days: int


class Subject:
    """A correlation key under evaluation: its past is read once, and so is what the service knows of it."""

    def __init__(self, control: Control, key: str, *, now_ms: int) -> None:
        self._control, self._key = control, key
        self.past = Past(control.table, key, now_ms=now_ms)

    @cached_property
    def given(self) -> Any:  # noqa: ANN401  whatever the service tells
        """What the service knows of the key."""
        return self._control.given(self._key)

    def find(self, sort: str) -> StoredEvent | None:
        """Look an anchor up."""
        return next((one for one in self.past if one.sort <= sort), None)


class Unevaluable(Exception):
    """A rule fails at an event, in what is pure of it, so that it would fail in the same way for ever."""


def evaluate(control: Control, subject: Subject, anchor: StoredEvent, rules: Iterable[Rule]) -> Counts:
    """Evaluate rules at an anchor; what can never be evaluated becomes a fault."""
    counts: Counts = Counter()
    for rule in rules:
        try:
            counts.update(_evaluate(control, subject, anchor, rule))
        except (Unevaluable, Poison) as error:
            message = strict_json.dumps(anchor.row(control.table.keys))
            give_up(_cause_of(error), control, message, by=f"rule-{rule.id}")
            counts[Verdict.FAULT] += 1
    return counts


def _evaluate(control: Control, subject: Subject, anchor: StoredEvent, rule: Rule) -> Counts:
    with _pure():
        history = history_of(rule, anchor, subject.past, hold_back_ms=hold_back_ms())
    if isinstance(history, NotEvaluated):
        return Counter([Verdict[history.name]])
    given = subject.given if rule.informed else None
    with _pure():
        rows = [row_of(rule, decision) for decision in rule.expression(replace(history, given=given))]
    return Counter(_put(control.table, row) for row in rows) or Counter([Verdict.NOTHING])


@contextmanager
def _pure() -> Iterator[None]:
    """Tell what a rule is to blame for from what the network is: the past is read while a rule looks back."""
    try:
        yield
    except CallFailed:
        raise
    except Exception as error:
        raise Unevaluable from error


def _cause_of(error: Exception) -> Exception:
    return error.__cause__ if isinstance(error, Unevaluable) and isinstance(error.__cause__, Exception) else error


def _put(table: Table, row: Mapping[str, Any]) -> Verdict:
    try:
        table.put(row, condition=table.absent)
    except ConditionFailed:
        return Verdict.STANDS
    except ItemRefused as error:
        raise Poison("DynamoDB refuses the decision as invalid") from error
    return Verdict.DECIDED


def row_of(rule: Rule, decision: Decision) -> dict[str, Any]:
    """Give the row of a decision: what it says, that a rule said it, and upon which events.

    Raises:
        ValueError: its key has the id of a trigger in it, so that another order of arrival would decide twice.

    """
    key = " ".join(map(str, decision.key.values()))
    if any(event.id in key for event in decision.triggers):
        raise ValueError(f"rule {rule.id}: the key of a decision names the rule and its subject, never a trigger")
    triggers = [{"id": event.id, "type": event.type, "timestamp": event.timestamp} for event in decision.triggers]
    return {**decision.row, **decision.key, BY: RULE, RULE: rule.id, TRIGGERS: triggers}


def give_up(error: Exception, control: Control, message: str, *, by: str) -> None:
    """Publish the fault of what a rule, or the trigger, can never make anything of."""
    source = control.rules.source
    publish([fault_of(error, message, consumer=f"{source}.{by}", now_ms=clock.now_ms())], source=source)
