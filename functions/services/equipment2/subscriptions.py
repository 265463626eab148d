"""What equipment2 subscribes to: the edits that are made in equipment."""

from typing import Final

from patterns.dynamodb.attribute_values import Item
from patterns.dynamodb.ttl import ttl_at
from patterns.events.domain_event import DomainEvent
from patterns.sync.crossing import Content, Crossing
from patterns.versions.versioned_write import Versions
from patterns.views.row_write import Subscriptions
from services.equipment2 import machine, mapping

THEIRS: Final = "equipment"


def versions_of(event: DomainEvent) -> Versions:
    """Return where the versions of a piece of equipment are kept here."""
    return machine.versions_of(event.entity("equipment").text("id"))


def from_theirs(event: DomainEvent, row: Item | None) -> Content:
    """Return what an edit makes of the current row."""
    equipment = event.entity("equipment")
    deleted = equipment.get("deleted") is True
    ttl = {"ttl": ttl_at(event.timestamp_ms, machine.TOMBSTONE_DAYS)} if deleted else {}
    attributes = {**machine.mark_of(equipment.text("id")), **ttl}
    return Content(mapping.from_theirs(equipment, machine.row_of(row)), attributes, deleted=deleted)


EQUIPMENT: Final = Crossing(own="equipment2", theirs=THEIRS, versions_of=versions_of, from_theirs=from_theirs)

ON: Subscriptions = {  # (source, type) -> what equipment2 keeps of it
    (THEIRS, "equipment-created"): EQUIPMENT,
    (THEIRS, "equipment-updated"): EQUIPMENT,
    (THEIRS, "equipment-deleted"): EQUIPMENT,
    (THEIRS, "equipment-undeleted"): EQUIPMENT,
}
