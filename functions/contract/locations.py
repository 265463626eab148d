"""Where equipment stands: a company, and within it a hierarchy from the country down to the neighbourhood."""

from collections.abc import Mapping
from typing import Any

from patterns.dynamodb.hierarchical_key import Hierarchy

LEVELS = ("country", "region", "state", "county", "city", "neighborhood")
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


def board_sort_key(location: Mapping[str, Any], equipment_id: str) -> str:
    """Return the key `BY_LOCATION` of a piece of equipment.

    Raises:
        ValueError: it is over 1,024 UTF-8 bytes.

    """
    return BY_LOCATION.build({**location, "equipmentId": equipment_id})
