"""equipment2's machines -> equipment."""

from typing import Final

from andon.events.domain_event import DomainEvent
from andon.runtime.json_types import members_of
from andon.sync.crossing import resource_crossing, resource_in
from contract.entities.equipment import MachineEntity
from contract.locations import levels_in
from services.equipment.mapping import from_theirs
from services.equipment.metadata import EQUIPMENT


def machine_in(event: DomainEvent) -> MachineEntity:
    """Return the machine of an event.

    Raises:
        Poison, ValueError: there is none.

    """
    machine = resource_in(event, "machine", "name", "factoryId", "lineId")
    levels_in(machine)
    return members_of(MachineEntity, machine.fields)


CROSSING: Final = resource_crossing(
    EQUIPMENT,
    own="equipment",
    theirs="equipment2",
    entity_in=machine_in,
    from_theirs=lambda machine, _: from_theirs(machine),  # a machine says all that equipment does
)
