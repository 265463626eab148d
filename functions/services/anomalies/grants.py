"""What anomalies calls of its table: what it knows beside events lies elsewhere."""

GRANTS = {
    "listener": {"ANOMALIES_TABLE": ("PutItem", "Query")},
    "trigger": {"ANOMALIES_TABLE": ("PutItem", "Query")},
    "sweep": {"ANOMALIES_TABLE": ("DeleteItem", "PutItem", "Query")},
}
