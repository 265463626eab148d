"""Subscriptions of watch: facts, for its rules."""

from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters
from andon.rules.collect import Collected
from andon.views.view_update import Subscriptions
from services.watch.tables import TTL_DAYS, partition_of


def on_thing_moved(event: DomainEvent) -> Collected:
    """Store it beside the others."""
    return Collected.of(event, key=partition_of(event.partition_key), source="things", ttl_days=TTL_DAYS)


ON: Subscriptions = {  # (source, type) -> what is kept of it
    ("things", "thing-moved"): on_thing_moved,
}

# (source, type) -> the steps from its oldest shape to today's
UPCASTERS: Upcasters = {}
