"""The facts that dispatch publishes of its rows."""

from andon.events.fact import FactAlarm
from andon.rules.rule import expired
from andon.versions.declared import facts_of
from contract.entities.alerts import TroubleEndEntity
from contract.entities.logs import AcknowledgementEntity, AssignmentEntity, EscalationEntity
from services.dispatch import acknowledgement
from services.dispatch.alert import ALERTS
from services.dispatch.chains import CHAINS
from services.dispatch.fact_types import (
    NOBODY_FOUND,
    OPERATOR_ASSIGNED,
    SOURCE,
    STATE_ACKNOWLEDGED,
    STATE_ESCALATED,
    TROUBLE_ENDED,
)
from services.dispatch.help import ENTITIES, FACTS_OF
from services.dispatch.responsibility import ASSIGNMENT, ESCALATION
from services.dispatch.roster import ROSTERS
from services.dispatch.rules import ended

FACTS = facts_of(
    SOURCE,
    ROSTERS,
    CHAINS,
    of={
        **{kind.discriminator: kind.fact_of for kind in (ASSIGNMENT, ESCALATION)},
        acknowledgement.DISCRIMINATOR: acknowledgement.fact_of,
        **{alert.type: alert.fact_of for alert in ALERTS},
        **FACTS_OF,
        TROUBLE_ENDED: ended.fact_of,
    },
    entities={
        OPERATOR_ASSIGNED: AssignmentEntity,
        STATE_ESCALATED: EscalationEntity,
        STATE_ACKNOWLEDGED: AcknowledgementEntity,
        **{alert.type: alert.entity for alert in ALERTS},
        **ENTITIES,
        TROUBLE_ENDED: TroubleEndEntity,
    },
)._replace(
    expired=expired,
    alarms={
        NOBODY_FOUND: FactAlarm(
            name="Nobody",
            means="Somebody was to be asked for help, and nobody is on duty: whoever supervises was asked instead.",
            runbook="nobody-on-duty",
        )
    },
)
