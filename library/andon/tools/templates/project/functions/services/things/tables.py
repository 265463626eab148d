"""The table that things owns: one row each, its current version."""

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema

KEYS = Keys("id", one_partition_per="entity")
TABLES = {"THINGS_TABLE": TableSchema(KEYS, stream=True, expires=False)}
TABLE = Table("THINGS_TABLE", KEYS)
