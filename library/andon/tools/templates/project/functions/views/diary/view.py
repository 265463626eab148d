"""Updates of diary by event: one object for each day, with what was said of each on it last. Pure."""

from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters
from andon.runtime import times
from andon.views.object_table import ObjectKeys, ObjectTable
from andon.views.view_update import ViewUpdate
from andon.views.view_updates import OnObjects

KEYS = ObjectKeys("saidOn", about="thing")
OBJECTS = ObjectTable("DIARY_BUCKET", KEYS)
TTL_DAYS = 90


def on_thing_moved(event: DomainEvent) -> ViewUpdate:
    """Keep what it says on that day."""
    thing = event.entity("thing")
    key = KEYS.of(times.date_of(event.timestamp_ms), event.partition_key)
    return ViewUpdate(key=key, fields={"place": thing.text("place")}, oplock="moved")


ON: OnObjects = {  # (source, type) -> what the view keeps of it
    ("things", "thing-moved"): on_thing_moved,
}

# (source, type) -> the steps from its oldest shape to today's
UPCASTERS: Upcasters = {}
