"""What dispatch2 calls of its table."""

GRANTS = {
    "command": {"DISPATCH2_TABLE": ("PutItem", "UpdateItem")},
    "listener": {"DISPATCH2_TABLE": ("PutItem",)},
}
