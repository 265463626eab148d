"""What equipment2 calls of its tables."""

GRANTS = {
    "command": {
        "EQUIPMENT2_TABLE": ("GetItem", "PutItem", "UpdateItem"),
        "EQUIPMENT2_HISTORY_TABLE": ("GetItem", "PutItem", "Query"),
    },
    "query": {
        "EQUIPMENT2_TABLE": ("GetItem",),
        "EQUIPMENT2_HISTORY_TABLE": ("GetItem", "Query"),
        "EQUIPMENT2_HISTORY_TABLE/ByTime": ("Query",),
        "EQUIPMENT2_HISTORY_TABLE/Corrections": ("Query",),
    },
    "listener": {"EQUIPMENT2_TABLE": ("PutItem",), "EQUIPMENT2_HISTORY_TABLE": ("PutItem", "Query")},
}
