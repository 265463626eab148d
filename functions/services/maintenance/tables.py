"""The tables that maintenance owns.

| table | pk | sk | row |
|---|---|---|---|
| maintenance | `Equipment#<id>` | `order#<date>#<kind>` | the current order; its id is its key |
| maintenance | `Equipment#<id>` | `v0_Readings#<date>#<kind>` | the latest readings of an order; `latest` counts them |
| maintenance | `Readings#<date>#<kind>#Equipment#<id>` | `v<number>_Readings#<date>#<kind>` | readings of an order |
| maintenance | `Equipment#<id>` | `v0_Instructions#<kind>` | the current instructions; `latest` is their number |
| maintenance | `Instructions#<kind>#Equipment#<id>` | `v<number>_Instructions#<kind>` | a version of instructions |
| maintenance | `Equipment#<id>` | `equipment` | what maintenance has to know of the equipment: its factory |
| maintenance | `Equipment#<id>` | `attachment#<date>#<kind>#<sha256>` | an attachment of an order |
| maintenance | `Content#<sha256>` | `content` | where the bytes of attachments are, see `andon.content.contents` |
| maintenance-history | `Equipment#<id>#<date>#<kind>` | `version` | a revision of an order |
"""

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema

KEYS = Keys("pk", "sk", one_partition_per="entity")
HISTORY = Keys("pk", "version", sort_type="N", one_partition_per="entity")
TABLES = {
    "MAINTENANCE_TABLE": TableSchema(KEYS, stream=True),
    "MAINTENANCE_HISTORY_TABLE": TableSchema(HISTORY, expires=False, seldom_read=True),
}
TABLE = Table("MAINTENANCE_TABLE", KEYS)
HISTORY_TABLE = Table("MAINTENANCE_HISTORY_TABLE", HISTORY)

# What each role calls, where that is less than a service may.
GRANTS = {
    "command": {
        "MAINTENANCE_TABLE": ("GetItem", "PutItem", "UpdateItem"),
        "MAINTENANCE_HISTORY_TABLE": ("GetItem", "PutItem"),
    },
    "query": {"MAINTENANCE_TABLE": ("GetItem", "Query"), "MAINTENANCE_HISTORY_TABLE": ("Query",)},
    "listener": {"MAINTENANCE_TABLE": ("UpdateItem",)},
    "trigger": {"MAINTENANCE_TABLE": ("PutItem",)},
}


def partition_of(equipment_id: str) -> str:
    """Return the partition of a piece of equipment."""
    return f"Equipment#{equipment_id}"
