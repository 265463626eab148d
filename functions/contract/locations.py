"""Location of equipment: a company, and within it a hierarchy from the country down to the neighbourhood.

A location is written in two ways: as seven fields, and as a list of named levels. The list may lack some of the seven,
and have others besides, in any order.
"""

from collections.abc import Callable, Iterable, Sequence

from andon.dynamodb.hierarchical_key import Hierarchy
from andon.events.domain_event import Entity
from andon.runtime.errors import Poison
from andon.runtime.json_types import members_of
from contract.entities.equipment import LevelEntity, LocationEntity
from contract.levels import FIELDS, LEVELS, NOT_SAID

MAX_PART_CHARACTERS = 128

# The id stands last because it may have a `#` in it.
BY_LOCATION = Hierarchy((*LEVELS, "equipmentId"), open_end=True)
"""Sort keys by which equipment is found by location: `country#region#state#county#city#neighborhood#equipmentId`."""


def part(text: str) -> str:
    """Return `text` of an event if it can be a part of a location's key; `#` separates keys, `/` separates paths.

    What clients send is held to more, `names.part`. Events of before that are read all the same.

    Raises:
        ValueError: it cannot.

    """
    if not 1 <= len(text) <= MAX_PART_CHARACTERS or not text.isprintable() or "/" in text or "#" in text:
        raise ValueError(f"must be 1 to {MAX_PART_CHARACTERS} printable characters without # and /")
    return text


def board_sort_key(location: LocationEntity, equipment_id: str) -> str:
    """Return the key `BY_LOCATION` of a piece of equipment.

    Raises:
        ValueError: it is over 1,024 UTF-8 bytes.

    """
    return BY_LOCATION.build({**names_in(location), "equipmentId": equipment_id})


def location_by(name_of: Callable[[str], str]) -> LocationEntity:
    """Return the seven fields, each by its name."""
    return members_of(LocationEntity, {field: name_of(field) for field in FIELDS})


def names_in(location: LocationEntity) -> dict[str, str]:
    """Return the name of each of the seven fields."""
    return {field: str(name) for field, name in location.items()}


def location_of(levels: Iterable[LevelEntity]) -> LocationEntity:
    """Return the seven fields of a list of levels."""
    names = {level["level"]: level["name"] for level in levels}
    return location_by(lambda field: names.get(field, NOT_SAID))


def levels_of(location: LocationEntity, upon: Sequence[LevelEntity]) -> list[LevelEntity]:
    """Return the levels of seven fields, in the order of `upon`; a new one stands behind the field before it."""
    names = {**{one["level"]: one["name"] for one in upon}, **names_in(location)}
    order = [one["level"] for one in upon]
    place = 0
    for field in FIELDS:
        if field not in order:
            order.insert(place, field)
        place = order.index(field) + 1
    return [{"level": level, "name": names[level]} for level in order if names[level] != NOT_SAID]


def location_in(equipment: Entity) -> LocationEntity:
    """Return the seven fields of an event's location.

    Raises:
        Poison: one of them is missing or no text.

    """
    fields = equipment.get("location")
    location = Entity(f"{equipment.name}.location", fields if isinstance(fields, dict) else {})
    return location_by(location.text)


def levels_in(machine: Entity) -> list[LevelEntity]:
    """Return the levels of an event's location.

    Raises:
        Poison: they are no list of levels with names.

    """
    levels = machine.get("levels")
    if not isinstance(levels, list) or not all(isinstance(level, dict) for level in levels):
        raise Poison(f"{machine.name}.levels must be a list of levels")
    entities = [Entity(f"{machine.name}.levels", level) for level in levels]
    return [{"level": entity.text("level"), "name": entity.text("name")} for entity in entities]
