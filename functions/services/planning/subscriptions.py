"""Subscriptions of planning: facts, for its rules."""

from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters
from andon.rules.collect import Collected
from andon.views.row_write import Subscriptions
from services.planning.tables import TTL_DAYS, partition_of


def on_maintenance_planned(event: DomainEvent) -> Collected:
    """Store it beside the others."""
    return Collected.of(event, key=partition_of(event.partition_key), source="maintenance", ttl_days=TTL_DAYS)


ON: Subscriptions = {  # (source, type) -> what is kept of it
    ("maintenance", "maintenance-planned"): on_maintenance_planned,
}

UPCASTERS: Upcasters = {}  # (source, type) -> the steps from its oldest shape to today's
