"""The types of facts that equipment tells the world."""

TYPES = frozenset(
    {
        "equipment-created",
        "equipment-updated",
        "equipment-deleted",
        "equipment-undeleted",
        "audit-recorded",
        "state-reported",
    }
)
