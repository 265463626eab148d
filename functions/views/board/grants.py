"""What board calls of its table, where that is less than a view may."""

GRANTS = {"query": {"BOARD_TABLE": ("BatchGetItem", "GetItem"), "BOARD_TABLE/ByPlace": ("Query",)}}
