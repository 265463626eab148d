"""Updates of inventory by event: what was said last of each. Pure."""

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, counted
from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters
from andon.views.keep import keep
from andon.views.view_update import On, ViewUpdate
from contract.entities.things import Thing

KEYS = Keys("thing", one_partition_per="entity")
TABLE = Table("INVENTORY_TABLE", KEYS)
TTL_DAYS = 90
# <declared>
KEPT = keep(Thing, place="place")  # attribute of the row -> member of the entity
# </declared>
# <counted>
BY_PLACE = Keys("place", "thing", one_partition_per="tenant")
INDEXES = {"ByPlace": counted(BY_PLACE)}
# </counted>


# <row>
def on_thing_moved(event: DomainEvent) -> ViewUpdate:
    """Keep what it says."""
    thing = event.entity("thing")
    return ViewUpdate(key=KEYS.of(thing.text("id")), fields=KEPT.of(thing), oplock="moved")


# </row>
ON: On = {  # (source, type) -> what the view keeps of it
    ("things", "thing-moved"): on_thing_moved,
}

# (source, type) -> the steps from its oldest shape to today's
UPCASTERS: Upcasters = {}
