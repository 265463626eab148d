"""The tables that equipment owns.

| table | pk | sk | row |
|---|---|---|---|
| equipment | `Equipment#<id>` | `Metadata` | the current metadata |
| equipment | `Equipment#<id>` | `<UTC time>` | a state report |
| equipment | `Equipment#<id>` | `Connection` | whether it is connected to the broker |
| equipment | `Thing#<kind>#<name>` | `Provisioning` | for whom a thing is reserved that is about to get a certificate |
| equipment | `Thing##<certificate>` | `Provisioning` | which thing a certificate is for, for a day |
| equipment | `Equipment#<id>` | `v0_Audit#<part>` | the latest audit of a part |
| equipment | `Audit#<part>#Equipment#<id>` | `v0000000001_Audit#<part>` | an audit of a part, by its number |
| equipment-history | `Equipment#<id>` | `version` | a revision of the metadata |
"""

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema
from andon.versions.resource import HISTORY, HISTORY_SCHEMA

KEYS = Keys("pk", "sk", one_partition_per="entity")

TABLES = {"EQUIPMENT_TABLE": TableSchema(KEYS, stream=True, steady=True), "EQUIPMENT_HISTORY_TABLE": HISTORY_SCHEMA}

TABLE = Table("EQUIPMENT_TABLE", KEYS)
HISTORY_TABLE = Table("EQUIPMENT_HISTORY_TABLE", HISTORY)

# What each role calls, where that is less than a service may.
GRANTS = {
    "command": {
        "EQUIPMENT_TABLE": ("BatchGetItem", "ConditionCheckItem", "GetItem", "PutItem", "Query", "UpdateItem"),
        "EQUIPMENT_HISTORY_TABLE": ("GetItem", "PutItem", "Query"),
    },
    "ingest": {"EQUIPMENT_TABLE": ("BatchGetItem", "GetItem", "PutItem")},
    "provision": {"EQUIPMENT_TABLE": ("GetItem", "PutItem")},
    "restore": {"EQUIPMENT_TABLE": ("PutItem", "UpdateItem")},
    "listener": {"EQUIPMENT_TABLE": ("PutItem",), "EQUIPMENT_HISTORY_TABLE": ("PutItem", "Query")},
}


def partition_of(equipment_id: str) -> str:
    """Return the partition of a piece of equipment."""
    return f"Equipment#{equipment_id}"
