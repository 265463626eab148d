"""dispatch as a control service: its rules, their context, its table."""

from andon.events.domain_event import DomainEvent
from andon.rules.control_service import Control
from andon.rules.rule import Rules
from andon.rules.stored_event import CorrelationKey
from contract import logs
from services.dispatch.fact_types import ENTITY_OF
from services.dispatch.known import known_of
from services.dispatch.rules import assign, at_risk, escalate, lasting, silence, trouble
from services.dispatch.tables import TABLE, partition_of

RULES = Rules(
    source="dispatch",
    types=frozenset(ENTITY_OF),
    all=(
        *(assign.RULE, escalate.RULE, at_risk.RULE),
        *(silence.SILENT_RULE, silence.BACK_RULE),
        *(trouble.RULE, trouble.SILENT_RULE, *lasting.RULES),
    ),
)


def correlation_key_in(event: DomainEvent) -> CorrelationKey:
    """Return the key under which an own fact is stored: that of the equipment's reports."""
    return partition_of(event.partition_key)


CONTROL = Control(
    table=TABLE,
    rules=RULES,
    context_of=known_of,
    remembers=dict.fromkeys(ENTITY_OF, correlation_key_in),
    ttl_days=logs.TTL_DAYS,
)
