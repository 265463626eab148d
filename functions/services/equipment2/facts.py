"""The types of the facts that equipment2 publishes."""

from typing import Final

MACHINE_CREATED: Final = "machine-created"
MACHINE_UPDATED: Final = "machine-updated"
MACHINE_DELETED: Final = "machine-deleted"
MACHINE_UNDELETED: Final = "machine-undeleted"

TYPES: Final = frozenset({MACHINE_CREATED, MACHINE_UPDATED, MACHINE_DELETED, MACHINE_UNDELETED})
