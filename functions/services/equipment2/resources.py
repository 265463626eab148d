"""Machines: pieces of equipment and the levels on which they stand, one version after the other.

| table | pk | sk | row |
|---|---|---|---|
| equipment2 | `Machine#<id>` | | what a piece of equipment is now |
| equipment2-history | `Machine#<id>` | `version` | a revision of it |
"""

from typing import Final

from andon.dynamodb.client import Table
from andon.dynamodb.expressions import Condition
from andon.dynamodb.schema import Keys
from andon.runtime.errors import Invalid
from andon.runtime.json_types import JsonMapping
from andon.versions.optimistic_lock import Owner
from andon.versions.resource import HISTORY, Resource, ResourceRow
from contract.entities.equipment import Machine, MachineEntity
from contract.levels import COMPANY
from contract.locations import board_sort_key, location_of


class MachineRow(Machine, ResourceRow):
    """The current row, or a revision, its key aside."""


def _is_still(company: str) -> Condition:
    return Condition("contains(#levels, :owner)", {"levels": "levels"}, {"owner": {"level": COMPANY, "name": company}})


MACHINE: Final[Resource[MachineRow, MachineEntity]] = Resource(
    service="equipment2",
    kind="machine",
    content=Machine,
    entity=MachineEntity,
    table=Table("EQUIPMENT2_TABLE", Keys("pk", one_partition_per="entity")),
    history=Table("EQUIPMENT2_HISTORY_TABLE", HISTORY),
    partition_of=lambda equipment_id: f"Machine#{equipment_id}",
    missing="This equipment is not registered.",
    kept=("name", "factoryId", "lineId", "levels"),  # as of the first version, where they cross to
    owner=Owner(of=lambda said: location_of(said["levels"])[COMPANY], is_still=_is_still),
)

RESOURCES: Final = (MACHINE,)


def require_key(equipment_id: str, said: JsonMapping) -> None:
    """Check that a machine fits into the sort key of the first version's board.

    Raises:
        Invalid: id and levels together are too long for it.

    """
    try:
        board_sort_key(location_of(said["levels"]), equipment_id)
    except ValueError as error:
        raise Invalid.field("body.levels", str(error)) from error
