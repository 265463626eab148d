"""The table that dispatch2 owns.

| pk | sk | row |
|---|---|---|
| `Equipment#<id>` | `<state>#<timestamp>#crew` | the crew that deals with a log |
| `Person#<id>` | `place` | the factory of a person |
"""

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema

KEYS = Keys("pk", "sk", one_partition_per="entity")
TABLES = {"DISPATCH2_TABLE": TableSchema(KEYS, stream=True)}
TABLE = Table("DISPATCH2_TABLE", KEYS)

# What each role calls, where that is less than a service may.
GRANTS = {
    "command": {"DISPATCH2_TABLE": ("BatchGetItem", "PutItem", "UpdateItem")},
    "query": {"DISPATCH2_TABLE": ("GetItem",)},
    "listener": {"DISPATCH2_TABLE": ("PutItem", "UpdateItem")},
}
