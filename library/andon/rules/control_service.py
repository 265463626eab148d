"""Control services: their rules, their inputs, and the table that keeps events, due times and decisions."""

from collections import Counter
from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, Self

from andon.dynamodb.client import Table
from andon.events.domain_event import DomainEvent
from andon.rules.rule import Rules
from andon.rules.stored_event import CorrelationKey

# Verdicts: the results of evaluations, and how often a trigger or a sweep came to each.


class Verdict(StrEnum):
    """The result of an evaluation, or of one of its decisions.

    `DECIDED`: its row was put. `STANDS`: the row was there already. `NOTHING`: there was nothing to decide. `LATE`: the
    anchor arrived too late to be decided upon. `GONE`: the anchor is no longer stored. `FLOODED`: more lies
    around it than the rule looks at. `FAULT`: the rule fails at it, and always will.
    """

    DECIDED = "decided"
    STANDS = "stands"
    NOTHING = "nothing"
    LATE = "late"
    GONE = "gone"
    FLOODED = "flooded"
    FAULT = "fault"


Counts = Counter[str]
"""Numbers by name: a `Verdict`, or what a trigger or a sweep counts beside."""


def no_context(key: CorrelationKey) -> None:
    """Know nothing of a correlation key."""


class _Control(NamedTuple):
    table: Table
    rules: Rules
    ttl_days: int
    context_of: Callable[[CorrelationKey], object]
    remembers: Mapping[str, Callable[[DomainEvent], CorrelationKey | None]]


class Control(_Control):
    """A control service.

    ttl_days: how long events are stored, from their own time: own facts, and what subscriptions collect for rules.
    context_of: correlation key -> what the service knows beside events, for the rules that need it.
    remembers: type of an own fact -> the correlation key under which it is stored beside the events of others; None: no
    rule looks at this one.

    Raises:
        ValueError: a rule would be due when the store has forgotten its anchor.

    """

    __slots__ = ()

    def __new__(
        cls,
        table: Table,
        rules: Rules,
        ttl_days: int,
        context_of: Callable[[CorrelationKey], object] = no_context,
        remembers: Mapping[str, Callable[[DomainEvent], CorrelationKey | None]] = MappingProxyType({}),
    ) -> Self:
        """Check that the store remembers for long enough."""
        rules.require_kept(ttl_days)
        return super().__new__(cls, table, rules, ttl_days, context_of, remembers)
