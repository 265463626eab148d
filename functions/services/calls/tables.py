"""The table that calls owns.

| pk | sk | row |
|---|---|---|
| `Call#<id>` | `call` | a call: raised, taken, closed or rejected; its id is the client's |
| `Equipment#<id>` | `open#<category>` | which call of that category is open, or when the last one ended |
| `Equipment#<id>` | `<startedAt>#cause` | what the trouble was that began then |
| `Equipment#<id>` | `equipment` | what calls has to know of the equipment: where it is |
| `Factory#<id>` | `catalog` | what the factory calls for, and the causes of trouble |
"""

from typing import Final

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Index, Keys, TableSchema

KEYS = Keys("pk", "sk", one_partition_per="entity")

# Only calls that are open have a `place`, and only calls have `raisedAt`.
BY_PLACE = Keys("factoryId", "place", one_partition_per="tenant")
BY_EQUIPMENT = Keys("equipmentId", "raisedAt", one_partition_per="entity")
PLACE: Final = BY_PLACE.names[1]

TABLES = {
    "CALLS_TABLE": TableSchema(
        KEYS, indexes={"ByPlace": Index(BY_PLACE), "ByEquipment": Index(BY_EQUIPMENT)}, stream=True
    )
}
TABLE = Table("CALLS_TABLE", KEYS)

# What each role calls, where that is less than a service may.
GRANTS = {
    "command": {"CALLS_TABLE": ("GetItem", "PutItem", "UpdateItem")},
    "query": {
        "CALLS_TABLE": ("GetItem",),
        "CALLS_TABLE/ByPlace": ("Query",),
        "CALLS_TABLE/ByEquipment": ("Query",),
    },
    "listener": {"CALLS_TABLE": ("UpdateItem",)},
}


def partition_of(equipment_id: str) -> str:
    """Return the partition of a piece of equipment."""
    return f"Equipment#{equipment_id}"
