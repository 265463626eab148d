"""The types of facts that dispatch tells the world."""

TYPES = frozenset(
    {
        "operator-assigned",
        "state-escalated",
        "state-acknowledged",
        "equipment-at-risk",
        "equipment-silent",
        "equipment-back",
    }
)
