"""Which factory a piece of equipment is in: dispatch's own projection, as little as its rules need."""

from typing import NotRequired, TypedDict, cast

from andon.dynamodb.attribute_values import Item
from services.dispatch.tables import KEYS


class WhereaboutsRow(TypedDict):
    """Which factory a piece of equipment is in, the primary key aside; deleted equipment is in none."""

    factoryId: NotRequired[str]


def key_of(partition: str) -> dict[str, str | int]:
    """Return the primary key of the row, in the partition of the equipment."""
    return KEYS.of(partition, "equipment")


def factory_of(row: Item | None) -> str | None:
    """Return the factory; None: it is unknown, or the equipment was deleted."""
    return None if row is None else cast("WhereaboutsRow", row).get("factoryId")
