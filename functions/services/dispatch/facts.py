"""The types of facts that dispatch tells the world."""

TYPES = frozenset({"operator-assigned", "state-escalated"})
