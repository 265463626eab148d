"""The table that anomalies owns, and the bucket that it reads.

| pk | sk | row |
|---|---|---|
| `Equipment#<id>` | `event#<ms>#<state>` | the micro event store: what was reported |
| `Equipment#<id>` | `decision#<rule>#<state>#<timestamp>` | an anomaly |
| `due#<shard>` | `<ms>#…` | which rules are to be evaluated when |
"""

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema

KEYS = Keys("pk", "sk", one_partition_per="entity")
TABLES = {"ANOMALIES_TABLE": TableSchema(KEYS, stream=True, steady=True, steady_reads=True)}
TABLE = Table("ANOMALIES_TABLE", KEYS)

BUCKETS = ("MODELS_BUCKET",)

_PREFIX = "Equipment#"

# What each role calls, where that is less than a service may.
GRANTS = {
    "listener": {"ANOMALIES_TABLE": ("PutItem", "Query")},
    "trigger": {"ANOMALIES_TABLE": ("PutItem", "Query")},
    "sweep": {"ANOMALIES_TABLE": ("DeleteItem", "PutItem", "Query")},
}


def partition_of(equipment_id: str) -> str:
    """Return the partition of a piece of equipment, which is also the key that its events correlate by."""
    return f"{_PREFIX}{equipment_id}"


def equipment_of(partition: str) -> str:
    """Return the piece of equipment that a partition is of."""
    return partition.removeprefix(_PREFIX)
