"""The factory of a piece of equipment: dispatch's own projection, as little as its rules need."""

from andon.dynamodb.attribute_values import Item
from services.dispatch.tables import KEYS


def key_of(partition: str) -> dict[str, str | int]:
    """Return the primary key of the row, in the partition of the equipment."""
    return KEYS.of(partition, "equipment")


def factory_of(row: Item | None) -> str | None:
    """Return the `factoryId` of a row; None: it is unknown, or the equipment was deleted."""
    factory_id: str | None = None if row is None else row.get("factoryId")
    return factory_id
