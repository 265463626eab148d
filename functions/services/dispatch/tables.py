"""The table that dispatch owns.

| pk | sk | row |
|---|---|---|
| `Equipment#<id>` | `<state>#<timestamp>#assignment`, `…#escalation`, `…#acknowledgement` | who sees to a log |
| `Equipment#<id>` | `equipment` | what dispatch has to know of the equipment: its factory |
| `Equipment#<id>` | `event#<ms>#…` | the micro event store: what was reported, and what was done about it |
| `Equipment#<id>` | `decision#<rule>#<subject>` | what a rule decided |
| `Factory#<id>` | `roster` | who works there |
| `due#<shard>` | `<ms>#…` | which rules are to be evaluated when |
"""

from patterns.dynamodb.schema import Keys, TableSchema

KEYS = Keys("pk", "sk", one_partition_per="entity")
TABLES = {"DISPATCH_TABLE": TableSchema(KEYS, stream=True)}


def partition_of(equipment_id: str) -> str:
    """Name the partition of a piece of equipment, by which its events correlate, too."""
    return f"Equipment#{equipment_id}"
