"""The rule that keeps a machine's orders under way, and its next ones."""

from collections.abc import Iterable
from typing import Final

from andon.events.domain_event import DomainEvent
from andon.rules.rule import Decision, History, Rule
from andon.rules.timing import Later
from andon.runtime.clock import DAY_MS
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonObject
from contract.entities.planning import OpenOrder
from contract.orders import TOPICS, key_in, open_order, order_in
from services.planning.decided import UPKEEP_CHANGED, decide
from services.planning.orders import is_open, newest, partition_in
from services.planning.tables import TTL_DAYS

MOST_UNDER_WAY: Final = 100
"""No machine has more orders under way, and an event has no room for a list of any length."""


def upkeep(history: History) -> Iterable[Decision]:
    """Decide the state of orders from the time of a fact on, if it changed. Facts of one time are seen together.

    Raises:
        Poison: more is under way than can be said.

    """
    at_ms = history.anchor.timestamp_ms
    standing = _standing(event for event in history.events if event.timestamp_ms <= at_ms)
    if len(standing["underWay"]) > MOST_UNDER_WAY:
        raise Poison(f"more than {MOST_UNDER_WAY} orders are under way at one machine")
    if standing != _standing(event for event in history.events if event.timestamp_ms < at_ms):
        yield decide(
            UPKEEP_CHANGED, standing, (history.anchor,), rule=RULE.id, subject=_subject_of(history), at_ms=at_ms
        )


def _standing(events: Iterable[DomainEvent]) -> JsonObject:
    """Return the orders that are under way, and the first of those that are planned."""
    orders = sorted((open_order(order) for order in newest(events).values() if is_open(order)), key=_by_day)
    under_way = [order for order in orders if "startedAt" in order]
    planned = [order for order in orders if "startedAt" not in order]
    return {"underWay": under_way, **({"next": planned[0]} if planned else {})}


def _subject_of(history: History) -> str:
    """Return the version of the order from which on it is so."""
    order = order_in(history.anchor)
    key = key_in(order)
    return f"{key.date} {key.kind} {order.whole_number('version')}"


def _by_day(order: OpenOrder) -> tuple[str, str, str]:
    return order["plannedFor"], order["date"], order["kind"]


RULE: Final = Rule(
    id="upkeep",
    on=frozenset(TOPICS),
    key=partition_in,
    window_ms=(TTL_DAYS - 1) * DAY_MS,
    most=3_000,  # facts of a machine in a year: three for each order
    timing=Later(1),  # two orders may change in one millisecond
    expression=upkeep,
    emits=frozenset({UPKEEP_CHANGED}),
)
