"""The orders of a machine as the facts of a history say them. Pure."""

from collections.abc import Iterable

from andon.events.domain_event import DomainEvent, Entity
from contract.orders import ORDER_FACTS, OrderKey, key_in, order_in
from services.planning.tables import order_partition_of, partition_of


def partition_in(event: DomainEvent) -> str:
    """Return the key that the facts of a machine's orders correlate by."""
    return partition_of(event.partition_key)


def order_partition_in(event: DomainEvent) -> str:
    """Return the key that the facts of an order correlate by."""
    return order_partition_of(event.partition_key, *key_in(order_in(event)))


def newest(events: Iterable[DomainEvent]) -> dict[OrderKey, Entity]:
    """Return the newest version of each order, for any order of the facts."""
    orders: dict[OrderKey, Entity] = {}
    for event in events:
        if event.type in ORDER_FACTS:
            order = order_in(event)
            known = orders.get(key_in(order))
            if known is None or known.whole_number("version") < order.whole_number("version"):
                orders[key_in(order)] = order
    return orders


def is_open(order: Entity) -> bool:
    """Return True if an order is not finished."""
    return order.text("status") != "finished"
