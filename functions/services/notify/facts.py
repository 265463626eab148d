"""The facts that notify publishes: what its rules decide, and how deliveries end."""

from andon.events.fact import FactAlarm, Facts
from andon.runtime.clock import MINUTE_MS
from contract.entities.telling import FailedEntity, MessageEntity, TellingEntity, ToldEntity
from services.notify import message, outcome, telling
from services.notify.fact_types import (
    DELIVERY_FAILED,
    MESSAGE_DECIDED,
    MESSAGE_OVERDUE,
    PERSON_TOLD,
    SOURCE,
    TROUBLE_TOLD,
)
from services.notify.rules import undelivered

FACTS = Facts(
    source=SOURCE,
    types=frozenset({MESSAGE_DECIDED, MESSAGE_OVERDUE, PERSON_TOLD, TROUBLE_TOLD, DELIVERY_FAILED}),
    of={
        **message.FACTS_OF,
        **outcome.MEANINGS,
        telling.OF_EQUIPMENT: telling.fact_of,
        undelivered.UNDELIVERED: undelivered.fact_of,
    },
    entities={
        MESSAGE_DECIDED: MessageEntity,
        MESSAGE_OVERDUE: MessageEntity,
        PERSON_TOLD: ToldEntity,
        TROUBLE_TOLD: TellingEntity,
        DELIVERY_FAILED: FailedEntity,
    },
    alarms={
        MESSAGE_OVERDUE: FactAlarm(
            name="Overdue",
            means=(
                f"Somebody was to be told of trouble {undelivered.AFTER_MS // MINUTE_MS} minutes ago, "
                "and nobody told them."
            ),
            runbook="sender-failing",
        ),
        DELIVERY_FAILED: FactAlarm(
            name="Untold",
            means="A message reached a person not at all, or not by one of their channels.",
            runbook="sender-failing",
        ),
    },
)
