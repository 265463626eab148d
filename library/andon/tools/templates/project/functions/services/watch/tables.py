"""The table that watch owns.

| pk | sk | row |
|---|---|---|
| `Thing#<id>` | `event#<ms>#…` | the micro event store: what happened to it |
| `Thing#<id>` | `decision#<rule>#<subject>` | what a rule decided |
| `due#<shard>` | `<ms>#…` | which rules are to be evaluated when |
"""

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema

KEYS = Keys("pk", "sk", one_partition_per="entity")
TABLES = {"WATCH_TABLE": TableSchema(KEYS, stream=True)}
TABLE = Table("WATCH_TABLE", KEYS)
TTL_DAYS = 33


def partition_of(thing_id: str) -> str:
    """Return the partition of one of them, which is also the key that its events correlate by."""
    return f"Thing#{thing_id}"
