"""equipment -> equipment2's machines."""

from typing import cast

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.sync.crossing import Content, Crossing
from andon.versions.versioned_write import Versions
from contract.entities import EquipmentEntity
from contract.locations import location_in
from services.equipment2 import machine
from services.equipment2.mapping import from_theirs


def equipment_in(event: DomainEvent) -> EquipmentEntity:
    """Return the equipment that an event says.

    Raises:
        Poison, ValueError: it says none.

    """
    equipment = event.entity("equipment")
    equipment.text("id"), equipment.text("name"), equipment.text("factoryId"), equipment.text("lineId")
    location_in(equipment)
    if "validFrom" in equipment.fields:
        times.require_fixed(equipment.text("validFrom"))
    return cast("EquipmentEntity", equipment.fields)


def _versions_of(event: DomainEvent) -> Versions:
    return machine.versions_of(equipment_in(event)["id"])


def _content(event: DomainEvent, upon: Item | None) -> Content:
    row = machine.row_of(upon)
    said = from_theirs(equipment_in(event), None if row is None else machine.entity_of(row))
    deleted = said.get("deleted") is True
    ttl = {"ttl": ttl_at(event.timestamp_ms, machine.TOMBSTONE_DAYS)} if deleted else {}
    attributes = {**machine.mark_of(said["id"]), **ttl}
    return Content(machine.content_in_entity(said), attributes, deleted=deleted)


CROSSING = Crossing(own="equipment2", theirs="equipment", versions_of=_versions_of, from_theirs=_content)
