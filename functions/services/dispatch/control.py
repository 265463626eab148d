"""By what dispatch decides, and where it writes that down."""

from contract import logs
from patterns.dynamodb.client import Table
from patterns.events.domain_event import DomainEvent
from patterns.rules.evaluate import Control
from services.dispatch import roster, whereabouts
from services.dispatch.facts import TYPES
from services.dispatch.roster import Roster
from services.dispatch.rules import RULES
from services.dispatch.tables import KEYS, partition_of

TABLE = Table("DISPATCH_TABLE", KEYS)


def roster_for(partition: str) -> Roster | None:
    """Read who works where a piece of equipment is; None: nobody, or nobody knows where it is."""
    factory_id = whereabouts.factory_of(TABLE.get(whereabouts.key_of(partition), consistent=True))
    if factory_id is None:
        return None
    return Roster.of(TABLE.get(roster.key_of(factory_id), consistent=True))


def partition_in(event: DomainEvent) -> str:
    """Tell beside which reports an own fact is stored: those of the equipment that it speaks of."""
    return partition_of(event.partition_key)


CONTROL = Control(
    table=TABLE,
    rules=RULES,
    context_of=roster_for,
    remembers=dict.fromkeys(TYPES, partition_in),
    ttl_days=logs.TTL_DAYS,
)
