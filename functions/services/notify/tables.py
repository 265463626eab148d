"""The tables that notify owns: this one, and that of addresses, see `contacts_table`.

| pk | sk | row |
|---|---|---|
| `Person#<id>` | `event#<ms>#…` | the micro event store: what the person was asked, and the messages about it |
| `Person#<id>` | `decision#message#<slot>.<kind>` | a message: somebody may have to be told |
| `Person#<id>` | `delivery#<message>#<channel>` | a message on a channel, claimed and marked by the sender |
| `Person#<id>` | `mailbox` | a version, so that of two workers one claims; what is left of the limits |
| `About#Log#<log>`, `About#Call#<id>` | `event#<ms>#…` | that somebody has seen it |
| `About#Equipment#<id>` | `event#<ms>#…` | that trouble of it is over, and who was told of it by a webhook |
| `About#Equipment#<id>` | `told#<ms>#<person>#<channel>` | who was told of it: a fact |
| `About#Call#<id>`, `Person#<id>` | the same | who was told of the call; what the person was told |
| `Channel#<name>` | `state` | its breaker |
| `due#<shard>` | `<ms>#…` | which rules are to be evaluated when |
"""

from typing import Final

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema
from andon.outbound.variables import LINK_SECRET, PUSH_SECRET
from contract import logs
from services.notify import contacts_table

KEYS = Keys("pk", "sk", one_partition_per="entity")
TABLES = {"NOTIFY_TABLE": TableSchema(KEYS, stream=True), "CONTACTS_TABLE": contacts_table.SCHEMA}
TABLE = Table("NOTIFY_TABLE", KEYS)
SECRETS = {LINK_SECRET: ("sender",), PUSH_SECRET: ("sender",)}

TTL_DAYS: Final = logs.TTL_DAYS  # of what happened longer ago nobody is told

PERSON: Final = "Person#"


def partition_of(person: str) -> str:
    """Return the partition of a person, which is also the correlation key of requests to them."""
    return f"{PERSON}{person}"


def person_in(partition: str) -> str:
    """Return the person of a partition."""
    return partition.removeprefix(PERSON)
