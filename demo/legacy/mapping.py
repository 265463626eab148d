"""An asset of the legacy system -> a revision of equipment2, and back. Pure.

| asset | machine |
|---|---|
| `asset_no`, `description`, `plant`, `line` | `id`, `name`, `factoryId`, `lineId` |
| seven columns, NULL where nothing is said; `district` is the neighbourhood | the levels of these names |
| nothing | other levels, and the order of all: they stay as they are |
| `inspector` | nothing: the database keeps it |
"""

from typing import Any, Final, cast

from andon.events.domain_event import Entity
from contract.entities.equipment import MachineEntity
from contract.levels import FIELDS, NOT_SAID
from contract.locations import levels_in, levels_of, location_of
from demo.legacy.assets import Asset
from services.equipment2.mapping import Levelled

COLUMN_OF: Final = {field: field for field in FIELDS} | {"neighborhood": "district"}


def to_asset(machine: Entity) -> Asset:
    """Return a machine as an asset."""
    location = location_of(levels_in(machine))
    said = {COLUMN_OF[field]: None if name == NOT_SAID else name for field, name in location.items()}
    named = {"description": machine.text("name"), "plant": machine.text("factoryId"), "line": machine.text("lineId")}
    return cast("Asset", {**named, **said})


def from_asset(asset: Entity, upon: Levelled | None) -> MachineEntity:
    """Return an asset as a machine; what the asset cannot say is kept from `upon`."""
    said: Any = {field: asset.optional_text(column) or NOT_SAID for field, column in COLUMN_OF.items()}
    machine: MachineEntity = {
        "id": asset.text("asset_no"),
        "version": 0,  # the database counts none
        "name": asset.text("description"),
        "factoryId": asset.text("plant"),
        "lineId": asset.text("line"),
        "levels": levels_of(said, upon["levels"] if upon else ()),
    }
    if asset.get("deleted") is True:
        machine["deleted"] = True
    return machine
