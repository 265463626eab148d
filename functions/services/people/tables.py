"""The tables that people owns.

| table | key | row |
|---|---|---|
| people | `Person#<id>` | a person's name and factory; after the erasure a fence without either |
| erasures | id | that a person was erased, and when |
| erasures | `Placed#<id>` | the factory of a person, as others may know it; nothing after the erasure |

Names stand in the first one and nowhere else: no stream, no history, and no backup older than a day has them.
"""

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Index, Keys, TableSchema

KEYS = Keys("pk", one_partition_per="entity")
BY_FACTORY = Keys("factoryId", "pk", one_partition_per="tenant")
ERASURE_KEYS = Keys("id", one_partition_per="entity")

TABLES = {
    # The index has keys only: a name is nowhere a moment longer than in its row.
    "PEOPLE_TABLE": TableSchema(
        KEYS, indexes={"ByFactory": Index(BY_FACTORY, projects=())}, expires=False, recovery_days=1
    ),
    "ERASURES_TABLE": TableSchema(ERASURE_KEYS, stream=True, expires=False),
}

TABLE = Table("PEOPLE_TABLE", KEYS)
ERASURES = Table("ERASURES_TABLE", ERASURE_KEYS)

# What each role calls, where that is less than a service may.
GRANTS = {
    "command": {"PEOPLE_TABLE": ("GetItem", "PutItem", "UpdateItem"), "ERASURES_TABLE": ("DeleteItem", "PutItem")},
    "query": {"PEOPLE_TABLE": ("BatchGetItem", "GetItem"), "PEOPLE_TABLE/ByFactory": ("Query",)},
}


def key_of(person_id: str) -> dict[str, str | int]:
    """Return the primary key of a person's row."""
    return KEYS.of(f"Person#{person_id}")
