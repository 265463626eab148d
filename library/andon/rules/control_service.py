"""Control services: their rules, what these see, and the table that keeps events, due times and decisions."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from andon.dynamodb.client import Table
from andon.events.domain_event import DomainEvent
from andon.rules.rule import Rules
from andon.rules.stored_event import CorrelationKey


def no_context(key: CorrelationKey) -> None:
    """Know nothing of a correlation key."""


class Control(NamedTuple):
    """A control service.

    ttl_days: how long own facts are stored, from their own time.
    context_of: correlation key -> what the service knows beside events, for the rules that need it.
    remembers: type of an own fact -> the correlation key under which it is stored beside the events of others.
    """

    table: Table
    rules: Rules
    ttl_days: int
    context_of: Callable[[CorrelationKey], object] = no_context
    remembers: Mapping[str, Callable[[DomainEvent], CorrelationKey]] = {}
