"""The tables that equipment2 owns.

| table | pk | sk | row |
|---|---|---|---|
| equipment2 | `Machine#<id>` | | what a piece of equipment is now |
| equipment2-history | `Machine#<id>` | `version` | a revision of it |
"""

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema
from andon.versions.resource import HISTORY, HISTORY_SCHEMA

KEYS = Keys("pk", one_partition_per="entity")

TABLES = {"EQUIPMENT2_TABLE": TableSchema(KEYS, stream=True), "EQUIPMENT2_HISTORY_TABLE": HISTORY_SCHEMA}

TABLE = Table("EQUIPMENT2_TABLE", KEYS)
HISTORY_TABLE = Table("EQUIPMENT2_HISTORY_TABLE", HISTORY)

# What each role calls, where that is less than a service may.
GRANTS = {
    "command": {
        "EQUIPMENT2_TABLE": ("GetItem", "PutItem", "UpdateItem"),
        "EQUIPMENT2_HISTORY_TABLE": ("GetItem", "PutItem", "Query"),
    },
    "query": {
        "EQUIPMENT2_TABLE": ("GetItem",),
        "EQUIPMENT2_HISTORY_TABLE": ("GetItem", "Query"),
        "EQUIPMENT2_HISTORY_TABLE/ByTime": ("Query",),
        "EQUIPMENT2_HISTORY_TABLE/Corrections": ("Query",),
    },
    "listener": {"EQUIPMENT2_TABLE": ("PutItem",), "EQUIPMENT2_HISTORY_TABLE": ("PutItem", "Query")},
}


def partition_of(equipment_id: str) -> str:
    """Return the partition of a piece of equipment."""
    return f"Machine#{equipment_id}"
