"""dispatch as a control service: its rules, their context, its table."""

from andon.events.domain_event import DomainEvent
from andon.rules.rule import Control, Rules
from andon.rules.stored_event import CorrelationKey
from contract import logs
from services.dispatch.fact_types import ENTITY_OF, TROUBLE_ENDED
from services.dispatch.known import known_of
from services.dispatch.reports import about_in
from services.dispatch.rules import assign, at_risk, called, ended, escalate, lasting, silence, trouble
from services.dispatch.tables import TABLE, partition_about

RULES = Rules(
    source="dispatch",
    types=frozenset({*ENTITY_OF, TROUBLE_ENDED}),
    all=(
        *(assign.RULE, escalate.RULE, at_risk.RULE),
        *(silence.SILENT_RULE, silence.BACK_RULE),
        *(trouble.RULE, trouble.SILENT_RULE, called.RULE, *lasting.RULES, *ended.RULES),
    ),
)


def correlation_key_in(event: DomainEvent) -> CorrelationKey:
    """Return the key under which an own fact is stored: that of the equipment's reports, or of its calls."""
    return partition_about(about_in(event).fields)


CONTROL = Control(
    table=TABLE,
    rules=RULES,
    context_of=known_of,
    remembers=dict.fromkeys(ENTITY_OF, correlation_key_in),
    ttl_days=logs.TTL_DAYS,
)
