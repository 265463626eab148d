from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema

KEYS = Keys("id", one_partition_per="entity")
TABLES = {"LOANS_TABLE": TableSchema(KEYS, stream=True, expires=False)}
TABLE = Table("LOANS_TABLE", KEYS)
