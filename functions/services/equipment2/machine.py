"""Machines: pieces of equipment and the levels on which they stand, one version after the other."""

from typing import Final, TypedDict

from andon.dynamodb.expressions import Condition
from andon.runtime.errors import Invalid
from andon.runtime.json_types import JsonMapping
from andon.versions.optimistic_lock import Command, Guard, Owner, Saved, require_admitted
from andon.versions.resource import Resource, ResourceRow
from contract.entities.equipment import LevelEntity, MachineEntity
from contract.locations import COMPANY, board_sort_key, location_of
from services.equipment2.tables import HISTORY_TABLE, TABLE, partition_of

DISCRIMINATOR: Final = "machine"


class MachineContent(TypedDict):
    """The content of a revision."""

    name: str
    factoryId: str
    lineId: str
    levels: list[LevelEntity]


class MachineRow(MachineContent, ResourceRow):
    """The current row, or a revision, its key aside."""


def _is_still(company: str) -> Condition:
    return Condition("contains(#levels, :owner)", {"levels": "levels"}, {"owner": {"level": COMPANY, "name": company}})


MACHINE: Final[Resource[MachineRow, MachineEntity]] = Resource(
    kind=DISCRIMINATOR,
    fields=tuple(MachineContent.__annotations__),
    table=TABLE,
    history=HISTORY_TABLE,
    partition_of=partition_of,
    missing="This equipment is not registered.",
    owner=Owner(of=lambda said: location_of(said["levels"])[COMPANY], is_still=_is_still),
)

machine_changed = MACHINE.fact_of


def register(equipment_id: str, body: JsonMapping, command: Command, guard: Guard | None = None) -> Saved[MachineRow]:
    """Register a piece of equipment, or change it; the guard is of what it was and of what it will be.

    Raises:
        Invalid: id and location together are too long for the first version's sort key; or `validFrom` lies ahead.
        Rejected: see `versioned_write.save`; or the guard does not admit it.

    """
    require_admitted(guard, body)
    try:
        board_sort_key(location_of(body["levels"]), equipment_id)
    except ValueError as error:
        raise Invalid.field("body.levels", str(error)) from error
    return MACHINE.save(equipment_id, body, command, guard)
