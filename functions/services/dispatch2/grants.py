"""What dispatch2 calls of its table."""

GRANTS = {
    "command": {"DISPATCH2_TABLE": ("PutItem", "UpdateItem")},
    "query": {"DISPATCH2_TABLE": ("GetItem",)},
    "listener": {"DISPATCH2_TABLE": ("PutItem",)},
}
