"""The table that planning owns.

| pk | sk | row |
|---|---|---|
| `Order#<date>#<kind>#<id>` | `event#<ms>#…` | the micro event store: what happened to an order of a machine |
| `Equipment#<id>` | `event#<ms>#…` | the same of all of the machine's orders |
| `Equipment#<id>` | `decision#<rule>#<subject>` | what a rule decided |
| `due#<shard>` | `<ms>#…` | which rules are to be evaluated when |
"""

from typing import Final

from andon.dynamodb.client import Table
from andon.dynamodb.keys import prefix, require_part
from andon.dynamodb.schema import Keys, TableSchema
from contract.orders import FURTHEST_DAYS, KEPT_DAYS

KEYS = Keys("pk", "sk", one_partition_per="entity")
TABLES = {"PLANNING_TABLE": TableSchema(KEYS, stream=True)}
TABLE = Table("PLANNING_TABLE", KEYS)

WITHIN_DAYS: Final = FURTHEST_DAYS + 1
"""Days from a plan to the end of the day that it is for, at most."""

TTL_DAYS: Final = WITHIN_DAYS + 2

DECIDED_DAYS: Final = KEPT_DAYS
"""Days that a decision is kept."""


def partition_of(equipment_id: str) -> str:
    """Return the partition of a piece of equipment: its decisions, and the key by which all its orders correlate."""
    return f"Equipment#{equipment_id}"


def order_partition_of(equipment_id: str, date: str, kind: str) -> str:
    """Return the partition of an order, by which its own facts correlate, however many orders its machine has.

    Raises:
        ValueError: date or kind cannot be parts of a key.

    """
    require_part(date)
    require_part(kind)
    return f"{prefix('Order', date, kind)}{equipment_id}"
