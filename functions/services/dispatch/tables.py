"""The table that dispatch owns.

| pk | sk | row |
|---|---|---|
| `Equipment#<id>` | `<state>#<timestamp>#assignment`, `…#escalation`, `…#acknowledgement` | who deals with a log |
| `Equipment#<id>` | `equipment` | what dispatch has to know of the equipment: its factory, line and name |
| `Equipment#<id>` | `event#<ms>#…` | the micro event store: what was reported, and what was done about it |
| `Equipment#<id>` | `decision#<rule>#<subject>` | what a rule decided |
| `Calls#<id>` | `event#<ms>#…`, `decision#…` | the same of the calls at a piece of equipment |
| `Factory#<id>` | `roster` | who works there, and when |
| `Factory#<id>` | `chains` | whom to ask for help, after how many minutes |
| `Person#<id>` | `erased` | that a person was erased: no rule assigns them |
| `Person#<id>` | `place` | the factory of a person |
| `due#<shard>` | `<ms>#…` | which rules are to be evaluated when |
"""

from collections.abc import Mapping

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema
from andon.outbound.variables import LINK_SECRET

KEYS = Keys("pk", "sk", one_partition_per="entity")
TABLES = {"DISPATCH_TABLE": TableSchema(KEYS, stream=True, steady=True, steady_reads=True)}
TABLE = Table("DISPATCH_TABLE", KEYS)
SECRETS = {LINK_SECRET: ("command",)}

# What each role calls, where that is less than a service may.
GRANTS = {
    "command": {"DISPATCH_TABLE": ("BatchGetItem", "PutItem", "UpdateItem")},
    "trigger": {"DISPATCH_TABLE": ("BatchGetItem", "GetItem", "PutItem", "Query")},
    "sweep": {"DISPATCH_TABLE": ("BatchGetItem", "DeleteItem", "GetItem", "PutItem", "Query")},
}

EQUIPMENT = "Equipment#"
CALLS = "Calls#"


def partition_of(equipment_id: str) -> str:
    """Return the partition of a piece of equipment, which is also the key that its events correlate by."""
    return f"{EQUIPMENT}{equipment_id}"


def calls_partition_of(equipment_id: str) -> str:
    """Return the partition of the calls at a piece of equipment, which is the key that they correlate by."""
    return f"{CALLS}{equipment_id}"


def partition_about(trouble: Mapping[str, object]) -> str:
    """Return the partition of rows about a trouble, by its `callId` if it has one, and its `equipmentId`."""
    equipment_id = str(trouble["equipmentId"])
    return calls_partition_of(equipment_id) if "callId" in trouble else partition_of(equipment_id)


def factory_partition_of(factory_id: str) -> str:
    """Return the partition of a factory."""
    return f"Factory#{factory_id}"


def equipment_in(partition: str) -> str:
    """Return the piece of equipment of a partition, or of one of its calls."""
    return partition.removeprefix(EQUIPMENT if partition.startswith(EQUIPMENT) else CALLS)
