"""Machines and the equipment of the first version, in each other's words. Pure.

| machine | equipment |
|---|---|
| the levels of these names | the seven fields of a location |
| no such level | `-` |
| levels that are none of the seven, and the order of all; kept when the location changes there | nothing |
"""

from typing import Any, cast

from contract.entities import EquipmentEntity, MachineEntity
from contract.locations import levels_of, location_of


def to_theirs(machine: MachineEntity) -> EquipmentEntity:
    """Return a machine as equipment."""
    said: dict[str, Any] = {name: value for name, value in machine.items() if name != "levels"}
    return cast("EquipmentEntity", {**said, "location": location_of(machine["levels"])})


def from_theirs(equipment: EquipmentEntity, upon: MachineEntity | None) -> MachineEntity:
    """Return equipment as a machine; upon: the machine that it changes, whose other levels stay."""
    said: dict[str, Any] = {name: value for name, value in equipment.items() if name != "location"}
    levels = levels_of(equipment["location"], upon["levels"] if upon else ())
    return cast("MachineEntity", {**said, "levels": levels})
