"""What equipment calls of its tables."""

GRANTS = {
    "command": {
        "EQUIPMENT_TABLE": ("BatchGetItem", "ConditionCheckItem", "GetItem", "PutItem", "Query", "UpdateItem"),
        "EQUIPMENT_HISTORY_TABLE": ("GetItem", "PutItem", "Query"),
    },
    "restore": {"EQUIPMENT_TABLE": ("PutItem", "UpdateItem")},
    "listener": {"EQUIPMENT_TABLE": ("PutItem",), "EQUIPMENT_HISTORY_TABLE": ("PutItem", "Query")},
}
