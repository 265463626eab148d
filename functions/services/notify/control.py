"""notify as a control service: its rules and its table."""

from andon.events.domain_event import DomainEvent
from andon.rules.rule import Control, Rules
from andon.rules.stored_event import CorrelationKey
from services.notify import over
from services.notify.fact_types import MESSAGE_DECIDED, TROUBLE_TOLD
from services.notify.facts import FACTS
from services.notify.rules import digest, undelivered
from services.notify.tables import TABLE, TTL_DAYS, partition_of


def correlation_key_in(message: DomainEvent) -> CorrelationKey:
    """Return the key under which a message is stored: its person's."""
    return partition_of(message.partition_key)


CONTROL = Control(
    table=TABLE,
    rules=Rules(
        source=FACTS.source, types=FACTS.types, all=(digest.NOW_RULE, digest.LATER_RULE, undelivered.RULE, *over.RULES)
    ),
    context_of=undelivered.asked_of,
    remembers={MESSAGE_DECIDED: correlation_key_in, TROUBLE_TOLD: over.equipment_told},
    ttl_days=TTL_DAYS,
)
