"""Equipment and the machines of equipment2, in each other's words. Pure.

| equipment | machine |
|---|---|
| the seven fields of a location | the levels of these names, in any order |
| `-` | no such level |
| nothing | other levels; equipment2 keeps them |
"""

from typing import Any, cast

from contract.entities import EquipmentEntity, MachineEntity
from contract.locations import levels_of, location_of


def to_theirs(equipment: EquipmentEntity) -> MachineEntity:
    """Return equipment as a machine: with the levels that are said."""
    said: dict[str, Any] = {name: value for name, value in equipment.items() if name != "location"}
    return cast("MachineEntity", {**said, "levels": levels_of(equipment["location"], ())})


def from_theirs(machine: MachineEntity) -> EquipmentEntity:
    """Return a machine as equipment."""
    said: dict[str, Any] = {name: value for name, value in machine.items() if name != "levels"}
    return cast("EquipmentEntity", {**said, "location": location_of(machine["levels"])})
