"""The types of the facts that equipment publishes."""

from typing import Final

EQUIPMENT_CREATED: Final = "equipment-created"
EQUIPMENT_UPDATED: Final = "equipment-updated"
EQUIPMENT_DELETED: Final = "equipment-deleted"
EQUIPMENT_UNDELETED: Final = "equipment-undeleted"
AUDIT_RECORDED: Final = "audit-recorded"
STATE_REPORTED: Final = "state-reported"

TYPES: Final = frozenset(
    {
        EQUIPMENT_CREATED,
        EQUIPMENT_UPDATED,
        EQUIPMENT_DELETED,
        EQUIPMENT_UNDELETED,
        AUDIT_RECORDED,
        STATE_REPORTED,
    }
)
