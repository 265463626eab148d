"""What dispatch calls of its table."""

GRANTS = {"command": {"DISPATCH_TABLE": ("PutItem", "UpdateItem")}}
