"""Control services: their rules, what these see, and the table that keeps events, due times and decisions."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, Self

from andon.dynamodb.client import Table
from andon.events.domain_event import DomainEvent
from andon.rules.rule import Rules
from andon.rules.stored_event import CorrelationKey


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
