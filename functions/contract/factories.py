"""The place of a piece of equipment, as services keep it that do not own it: a row in the equipment's partition.

`factory_subscriptions.py` keeps it.
"""

from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.schema import Keys

PLACE: Final = ("factoryId", "lineId", "name")
"""What `place_of` reads."""


def key_of(keys: Keys, partition: str) -> dict[str, str | int]:
    """Return the primary key of the row."""
    return keys.of(partition, "equipment")


def factory_of(row: Item | None) -> str | None:
    """Return the `factoryId` of a row; None: it is unknown, or the equipment was deleted."""
    factory_id: str | None = None if row is None else row.get("factoryId")
    return factory_id


class Place(NamedTuple):
    """The factory and the line of a piece of equipment, and its name; None: it is not known yet."""

    factory_id: str
    line_id: str | None
    name: str | None


def place_of(row: Item | None) -> Place | None:
    """Return the place in a row that was kept with `PLACE`; None: it is unknown, or the equipment was deleted."""
    factory_id = factory_of(row)
    return None if row is None or factory_id is None else Place(factory_id, row.get("lineId"), row.get("name"))
