"""What anomalies calls of its table: it knows nothing beside events, and decides nothing at once."""

GRANTS = {
    "listener": {"ANOMALIES_TABLE": ("PutItem", "Query")},
    "trigger": {"ANOMALIES_TABLE": ("PutItem",)},
    "sweep": {"ANOMALIES_TABLE": ("DeleteItem", "PutItem", "Query")},
}
