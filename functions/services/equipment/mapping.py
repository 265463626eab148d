"""Machines of equipment2 as equipment. Pure.

| equipment | machine |
|---|---|
| the seven fields of a location | the levels of these names, in any order |
| `-` | no such level |
| nothing | other levels; equipment2 keeps them |
"""

from andon.runtime.json_types import members_of
from contract.entities.equipment import EquipmentEntity, MachineEntity, PieceEntity
from contract.locations import location_of


def from_theirs(machine: MachineEntity) -> EquipmentEntity:
    """Return a machine as equipment."""
    return {**members_of(PieceEntity, machine), "location": location_of(machine["levels"])}
