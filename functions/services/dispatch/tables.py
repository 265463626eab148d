"""The table that dispatch owns: one partition per piece of equipment, a `discriminator` on every row."""

from patterns.schema import Keys, TableSchema

KEYS = Keys("pk", "sk")
TABLES = {"DISPATCH_TABLE": TableSchema(KEYS, stream=True)}


def partition_of(equipment_id: str) -> str:
    """Name the partition of a piece of equipment."""
    return f"Equipment#{equipment_id}"
