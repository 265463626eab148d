"""Which factory a piece of equipment is in: dispatch's own projection, as little as its rules need."""

from collections.abc import Mapping
from typing import Any

from services.dispatch.tables import KEYS


def key_of(partition: str) -> dict[str, str | int]:
    """Give the primary key of the row, in the partition of the equipment."""
    return KEYS.of(partition, "equipment")


def factory_of(row: Mapping[str, Any] | None) -> str | None:
    """Tell the factory; None: unknown, or deleted."""
    return None if row is None else row.get("factoryId")
