"""equipment -> equipment2's machines."""

from typing import Final

from andon.events.domain_event import DomainEvent
from andon.runtime.json_types import members_of
from andon.sync.crossing import resource_crossing, resource_in
from contract.entities.equipment import EquipmentEntity
from contract.locations import location_in
from services.equipment2.mapping import from_theirs
from services.equipment2.resources import MACHINE


def equipment_in(event: DomainEvent) -> EquipmentEntity:
    """Return the equipment of an event.

    Raises:
        Poison, ValueError: there is none.

    """
    equipment = resource_in(event, "equipment", "name", "factoryId", "lineId")
    location_in(equipment)
    return members_of(EquipmentEntity, equipment.fields)


CROSSING: Final = resource_crossing(
    MACHINE, own="equipment2", theirs="equipment", entity_in=equipment_in, from_theirs=from_theirs
)
