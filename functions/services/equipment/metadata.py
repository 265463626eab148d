"""The metadata of a piece of equipment, its location among it, one version after the other."""

from typing import Final, TypedDict

from andon.dynamodb.expressions import Condition
from andon.runtime.errors import Invalid
from andon.runtime.json_types import JsonMapping
from andon.versions.optimistic_lock import Command, Guard, Owner, Saved, require_admitted
from andon.versions.resource import Resource, ResourceRow
from contract.entities.equipment import EquipmentEntity, LocationEntity
from contract.locations import board_sort_key
from services.equipment.tables import HISTORY_TABLE, TABLE, partition_of

DISCRIMINATOR: Final = "equipment"


class EquipmentContent(TypedDict):
    """The content of a revision."""

    name: str
    factoryId: str
    lineId: str
    location: LocationEntity


class EquipmentRow(EquipmentContent, ResourceRow):
    """The current row, or a revision, its key aside."""


def _is_still(company: str) -> Condition:
    names = {"location": "location", "company": "company"}
    return Condition("#location.#company = :owner", names, {"owner": company})


EQUIPMENT: Final[Resource[EquipmentRow, EquipmentEntity]] = Resource(
    kind=DISCRIMINATOR,
    fields=tuple(EquipmentContent.__annotations__),
    table=TABLE,
    history=HISTORY_TABLE,
    partition_of=partition_of,
    sort=("Metadata",),
    missing="This equipment is not registered.",
    owner=Owner(of=lambda said: str(said["location"]["company"]), is_still=_is_still),
)

equipment_changed = EQUIPMENT.fact_of


def register(equipment_id: str, body: JsonMapping, command: Command, guard: Guard | None = None) -> Saved[EquipmentRow]:
    """Register a piece of equipment, or change it; the guard is of what it was and of what it will be.

    Raises:
        Invalid: id and location together are too long for a sort key; or `validFrom` lies ahead.
        Rejected: see `versioned_write.save`; or the guard does not admit it.

    """
    require_admitted(guard, body)
    try:
        board_sort_key(body["location"], equipment_id)
    except ValueError as error:
        raise Invalid.field("body.location", str(error)) from error
    return EQUIPMENT.save(equipment_id, body, command, guard)
