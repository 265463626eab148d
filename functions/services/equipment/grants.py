"""What equipment calls of its tables, where that is less than a service may."""

GRANTS = {
    "command": {
        "EQUIPMENT_TABLE": ("ConditionCheckItem", "GetItem", "PutItem", "Query", "UpdateItem"),
        "EQUIPMENT_HISTORY_TABLE": ("GetItem", "PutItem", "Query"),
    },
}
