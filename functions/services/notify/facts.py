"""The facts of notify's decisions and of the ends of deliveries. No address stands in any of them."""

from typing import Final

from andon.dynamodb.attribute_values import Item
from andon.events.fact import Change, Fact, FactAlarm, Facts
from andon.outbound.delivery import DELIVERY, MOST_CALLS, NO_CHANNEL, Status
from andon.runtime.clock import MINUTE_MS
from andon.runtime.json_types import members_of
from contract.entities.telling import FailedEntity, MessageEntity, TellingEntity, ToldEntity
from services.notify import message, telling
from services.notify.fact_types import (
    DELIVERY_FAILED,
    MESSAGE_DECIDED,
    MESSAGE_OVERDUE,
    PERSON_TOLD,
    SOURCE,
    TROUBLE_TOLD,
)
from services.notify.over import told_in
from services.notify.proofs import proof_in
from services.notify.rules import undelivered
from services.notify.tables import person_in

_ACTOR: Final = "sender"
_TYPE_OF: Final = {Status.SENT: PERSON_TOLD, Status.FAILED: DELIVERY_FAILED, Status.UNSURE: DELIVERY_FAILED}


def _ended(change: Change) -> Fact | None:
    """Return the fact that a delivery ended; its claims are private, and so are codes and tests."""
    row = change.new
    if row is None or (change.old or {}).get("status") == row["status"] or row["status"] not in _TYPE_OF:
        return None
    if proof_in(row["message"]) is not None:
        return None
    told = row["status"] == Status.SENT
    if told and told_in(row["message"]) is not None:
        return None  # it was said to a machine
    person, entity = person_in(row["recipient"]), _told(row) if told else _failed(row)
    name = "told" if told else "failure"
    return Fact(_TYPE_OF[row["status"]], row["changed_ms"], person, name, {**entity}, actor=_ACTOR)


def _told(row: Item) -> ToldEntity:
    repeated = {"repeated": True} if row["calls"] == MOST_CALLS else {}
    said = {**_said(row), "channel": row["channel"], "providerId": row["provider_id"], **repeated}
    return members_of(ToldEntity, said)


def _failed(row: Item) -> FailedEntity:
    channel = {} if row["channel"] == NO_CHANNEL else {"channel": row["channel"]}
    return members_of(FailedEntity, {**_said(row), **channel, "reason": row["reason"]})


def _said(row: Item) -> Item:
    return {
        "person": person_in(row["recipient"]),
        "about": row["about"],
        "message": row["message"],
        "of": len(row["covers"]),
    }


FACTS = Facts(
    source=SOURCE,
    types=frozenset({MESSAGE_DECIDED, MESSAGE_OVERDUE, PERSON_TOLD, TROUBLE_TOLD, DELIVERY_FAILED}),
    of={
        **message.FACTS_OF,
        DELIVERY: _ended,
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
