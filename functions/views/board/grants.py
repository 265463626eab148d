"""What board calls of its table, where that is less than a view may."""

GRANTS = {"query": {"BOARD_TABLE": ("GetItem",), "BOARD_TABLE/ByLocation": ("Query",)}}
