"""The metadata of a piece of equipment, its location among it, one version after the other."""

from typing import Final

from andon.dynamodb.expressions import Condition
from andon.runtime.errors import Invalid
from andon.runtime.json_types import JsonMapping
from andon.versions.optimistic_lock import Owner
from andon.versions.resource import Resource, ResourceRow
from contract.entities.equipment import Equipment, EquipmentEntity
from contract.locations import board_sort_key
from services.equipment.tables import HISTORY_TABLE, TABLE, partition_of


class EquipmentRow(Equipment, ResourceRow):
    """The current row, or a revision, its key aside."""


def _is_still(company: str) -> Condition:
    names = {"location": "location", "company": "company"}
    return Condition("#location.#company = :owner", names, {"owner": company})


EQUIPMENT: Final[Resource[EquipmentRow, EquipmentEntity]] = Resource(
    service="equipment",
    kind="equipment",
    content=Equipment,
    entity=EquipmentEntity,
    table=TABLE,
    history=HISTORY_TABLE,
    partition_of=partition_of,
    sort=("Metadata",),
    missing="This equipment is not registered.",
    kept=("name", "factoryId", "lineId", "location"),  # its end crosses, and its log and its place are read on
    owner=Owner(of=lambda said: str(said["location"]["company"]), is_still=_is_still),
)


def require_key(equipment_id: str, said: JsonMapping) -> None:
    """Check that equipment fits into the sort key of the board.

    Raises:
        Invalid: id and location together are too long for it.

    """
    try:
        board_sort_key(said["location"], equipment_id)
    except ValueError as error:
        raise Invalid.field("body.location", str(error)) from error
