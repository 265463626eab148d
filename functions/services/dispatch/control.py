"""dispatch as a control service: its rules, their context, its table."""

from functools import partial

from andon.events.domain_event import DomainEvent
from andon.rules.control_service import Control
from andon.rules.rule import Rules
from andon.rules.stored_event import CorrelationKey
from contract import factories, logs
from services.dispatch import roster
from services.dispatch.erased import erased_among
from services.dispatch.fact_types import ENTITY_OF
from services.dispatch.roster import Roster
from services.dispatch.rules import assign, at_risk, escalate, silence
from services.dispatch.tables import KEYS, TABLE, equipment_in, partition_of

RULES = Rules(
    source="dispatch",
    types=frozenset(ENTITY_OF),
    all=(assign.RULE, escalate.RULE, at_risk.RULE, silence.SILENT_RULE, silence.BACK_RULE),
)


def roster_for(key: CorrelationKey) -> Roster | None:
    """Read the roster for a piece of equipment, without the erased; None: there is none, or its factory is unknown."""
    factory_id = factories.factory_of(TABLE.get(factories.key_of(KEYS, key), consistent=True))
    if factory_id is None:
        return None
    row = roster.versions_of(factory_id).current()
    return None if row is None else roster.on_duty(Roster.of(row), equipment_in(key), partial(erased_among, TABLE))


def correlation_key_in(event: DomainEvent) -> CorrelationKey:
    """Return the key under which an own fact is stored: that of the equipment's reports."""
    return partition_of(event.partition_key)


CONTROL = Control(
    table=TABLE,
    rules=RULES,
    context_of=roster_for,
    remembers=dict.fromkeys(ENTITY_OF, correlation_key_in),
    ttl_days=logs.TTL_DAYS,
)
