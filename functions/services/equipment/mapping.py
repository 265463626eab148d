"""A machine of equipment2 -> a revision here. Pure.

| there | here |
|---|---|
| a list of levels, in any order | the seven fields of a location |
| no level of that name | `-` |
| a level that is none of the seven | nothing: equipment2 keeps it when an edit that was made here crosses |
"""

from contract import times
from contract.locations import levels_in, location_of
from patterns.events.domain_event import Entity
from services.equipment.metadata import EquipmentContent


def from_theirs(machine: Entity) -> EquipmentContent:
    """Return what a revision says of a machine. It needs no row to be written upon: they know all that is said here.

    Raises:
        Poison: the machine lacks something.

    """
    valid_from = machine.optional_text("validFrom")
    return {
        "name": machine.text("name"),
        "factoryId": machine.text("factoryId"),
        "lineId": machine.text("lineId"),
        "location": location_of(levels_in(machine)),
        "validFrom": None if valid_from is None else times.to_ms(valid_from),
    }
