"""A piece of equipment of the first version -> a revision here. Pure.

| there | here |
|---|---|
| the seven fields of a location | levels of these names |
| `-` | no such level |
| nothing | levels that are none of the seven, and the order of all of them: they stay as they are |
"""

from collections.abc import Mapping

from contract import times
from contract.locations import FIELDS, levels_of
from patterns.events.domain_event import Entity
from services.equipment2.machine import MachineContent


def from_theirs(equipment: Entity, upon: MachineContent | None) -> MachineContent:
    """Return what a revision says of a piece of equipment; what only this side can say is kept from `upon`.

    Raises:
        Poison: the equipment lacks something.

    """
    valid_from = equipment.optional_text("validFrom")
    return {
        "name": equipment.text("name"),
        "factoryId": equipment.text("factoryId"),
        "lineId": equipment.text("lineId"),
        "levels": levels_of(location_in(equipment), upon["levels"] if upon else ()),
        "validFrom": None if valid_from is None else times.to_ms(valid_from),
    }


def location_in(equipment: Entity) -> Mapping[str, str]:
    """Return the seven fields of an event's location.

    Raises:
        Poison: one of them is missing or no text.

    """
    fields = equipment.get("location")
    location = Entity(f"{equipment.name}.location", fields if isinstance(fields, dict) else {})
    return {name: location.text(name) for name in FIELDS}
