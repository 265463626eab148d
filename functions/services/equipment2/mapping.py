"""Equipment of the first version as machines. Pure.

| machine | equipment |
|---|---|
| the levels of these names | the seven fields of a location |
| no such level | `-` |
| levels that are none of the seven, and the order of all; kept when the location changes there | nothing |
"""

from typing import TypedDict

from andon.runtime.json_types import members_of
from contract.entities.equipment import EquipmentEntity, LevelEntity, MachineEntity, PieceEntity
from contract.locations import levels_of


class Levelled(TypedDict):
    """A machine, as an entity or as a row, by its levels alone."""

    levels: list[LevelEntity]


def from_theirs(equipment: EquipmentEntity, upon: Levelled | None) -> MachineEntity:
    """Return equipment as a machine; upon: the machine that it changes; its other levels stay."""
    levels = levels_of(equipment["location"], upon["levels"] if upon else ())
    return {**members_of(PieceEntity, equipment), "levels": levels}
