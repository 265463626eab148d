"""The table that planning owns.

| pk | sk | row |
|---|---|---|
| `Equipment#<id>` | `event#<ms>#…` | the micro event store: what happened to it |
| `Equipment#<id>` | `decision#<rule>#<subject>` | what a rule decided |
| `due#<shard>` | `<ms>#…` | which rules are to be evaluated when |
"""

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema

KEYS = Keys("pk", "sk", one_partition_per="entity")
TABLES = {"PLANNING_TABLE": TableSchema(KEYS, stream=True)}
TABLE = Table("PLANNING_TABLE", KEYS)
TTL_DAYS = 33


def partition_of(equipment_id: str) -> str:
    """Return the partition of all about one of equipment, which is also the key that its events correlate by."""
    return f"Equipment#{equipment_id}"
