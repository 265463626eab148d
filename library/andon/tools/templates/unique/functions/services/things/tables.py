"""The table that things owns: a claim of each number stands in it, too."""

GRANTS = {  # a change reads the version before, and deletes what that claims
    "command": {"THINGS_TABLE": ("DeleteItem", "GetItem", "PutItem", "UpdateItem")}
}
