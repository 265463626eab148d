"""What state_log calls of its table, where that is less than a view may."""

GRANTS = {
    "query": {
        "STATE_LOG_TABLE": ("GetItem", "Query"),
        "STATE_LOG_TABLE/GSI1": ("Query",),
        "STATE_LOG_TABLE/GSI2": ("Query",),
        "STATE_LOG_TABLE/GSI3": ("Query",),
    },
}
