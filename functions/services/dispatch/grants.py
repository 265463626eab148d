"""What dispatch calls of its table, where that is less than a service may."""

GRANTS = {"command": {"DISPATCH_TABLE": ("PutItem", "UpdateItem")}}
