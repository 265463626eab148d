"""Subscriptions of planning: the facts of orders, for its rules."""

from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters
from andon.rules.collect import Collected
from andon.views.view_update import Subscriptions
from contract.orders import SOURCE, TOPICS
from services.planning.orders import order_partition_in
from services.planning.tables import TTL_DAYS


def on_order(event: DomainEvent) -> Collected:
    """Store it beside the other facts of the order."""
    return Collected.of(event, key=order_partition_in(event), source=SOURCE, ttl_days=TTL_DAYS)


ON: Subscriptions = dict.fromkeys(TOPICS, on_order)  # (source, type) -> what planning keeps of it

UPCASTERS: Upcasters = {}  # (source, type) -> the steps from its oldest shape to today's
