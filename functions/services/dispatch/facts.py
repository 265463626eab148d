"""The facts that dispatch publishes of its rows."""

from andon.events.fact import FactAlarm, Facts
from andon.rules.expired import expired
from services.dispatch import acknowledgement, chains, roster
from services.dispatch.alert import ALERTS
from services.dispatch.fact_types import CHAIN_SET, ENTITY_OF, NOBODY_FOUND, ROSTER_CHANGED
from services.dispatch.help import FACTS_OF
from services.dispatch.responsibility import ASSIGNMENT, ESCALATION

FACTS = Facts(
    source="dispatch",
    types=frozenset({*ENTITY_OF, ROSTER_CHANGED, CHAIN_SET}),
    of={
        **{kind.discriminator: kind.fact_of for kind in (ASSIGNMENT, ESCALATION)},
        acknowledgement.DISCRIMINATOR: acknowledgement.fact_of,
        roster.DISCRIMINATOR: roster.fact_of,
        chains.DISCRIMINATOR: chains.fact_of,
        **{alert.type: alert.fact_of for alert in ALERTS},
        **FACTS_OF,
    },
    expired=expired,
    alarms={
        NOBODY_FOUND: FactAlarm(
            name="Nobody",
            means="Somebody was to be asked for help, and nobody is on duty: whoever supervises was asked instead.",
            runbook="nobody-on-duty",
        )
    },
)
