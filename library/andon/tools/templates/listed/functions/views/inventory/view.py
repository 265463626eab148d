"""Updates of inventory by event: a row for each of a shelf, with what was said of it last. Pure."""

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys
from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters
from andon.views.view_update import On, ViewUpdate

KEYS = Keys("shelf", "thing", one_partition_per="entity")
TABLE = Table("INVENTORY_TABLE", KEYS)
TTL_DAYS = 90


def on_thing_moved(event: DomainEvent) -> ViewUpdate:
    """Keep what it says."""
    thing = event.entity("thing")
    key = KEYS.of(event.partition_key, thing.text("id"))
    return ViewUpdate(key=key, fields={"place": thing.text("place")}, oplock="moved")


ON: On = {  # (source, type) -> what the view keeps of it
    ("things", "thing-moved"): on_thing_moved,
}

UPCASTERS: Upcasters = {}  # (source, type) -> the steps from its oldest shape to today's
