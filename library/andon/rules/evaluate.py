"""Rules at anchors of one correlation key -> the rows that they decide. It reads, and writes nothing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.rules.control_service import Control
from andon.rules.decide import decide
from andon.rules.history import NotEvaluated, history_of
from andon.rules.hold_back import hold_back_ms
from andon.rules.past import Past
from andon.rules.rule import Rule
from andon.rules.stored_event import CorrelationKey, StoredEvent
from andon.rules.verdict import Verdict
from andon.runtime.errors import CallFailed, Poison

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
    """Evaluates rules at anchors of one correlation key; reads what lies around them and the key's context once."""

    def __init__(self, control: Control, key: CorrelationKey, *, anchors: Sequence[str], now_ms: int) -> None:
        self.control, self.key = control, key
        self.past = Past(control.table, key, anchors=anchors, now_ms=now_ms)

    @property
    def is_spent(self) -> bool:
        """True if the key has had its share: what is left of it must wait."""
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
