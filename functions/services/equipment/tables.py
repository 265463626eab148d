"""The tables that equipment owns: one partition per piece of equipment, and the revisions of its metadata beside it."""

from patterns.dynamodb.schema import Index, Keys, TableSchema

KEYS = Keys("pk", "sk", one_partition_per="entity")
HISTORY = Keys("pk", "version", sort_type="N", one_partition_per="entity")
HISTORY_BY_TIME = Keys("pk", "timestamp", sort_type="N", one_partition_per="entity")

TABLES = {
    "EQUIPMENT_TABLE": TableSchema(KEYS, stream=True),
    "EQUIPMENT_HISTORY_TABLE": TableSchema(
        HISTORY, indexes={"ByTime": Index(HISTORY_BY_TIME)}, expires=False, seldom_read=True
    ),
}


def partition_of(equipment_id: str) -> str:
    """Name the partition of a piece of equipment."""
    return f"Equipment#{equipment_id}"
