"""The facts that deliveries become: a person was told, or was not by a channel. No address stands in any of them."""

from typing import Final

from andon.dynamodb.attribute_values import Item
from andon.events.fact import Change, Fact
from andon.outbound.delivery import DELIVERY, MOST_CALLS, NO_CHANNEL, Status
from andon.runtime.json_types import members_of
from contract.entities.telling import FailedEntity, ToldEntity
from services.notify.fact_types import DELIVERY_FAILED, PERSON_TOLD
from services.notify.over import told_in
from services.notify.proofs import proof_in
from services.notify.tables import person_in

ACTOR: Final = "sender"
TYPE_OF: Final = {Status.SENT: PERSON_TOLD, Status.FAILED: DELIVERY_FAILED, Status.UNSURE: DELIVERY_FAILED}


def fact_of(change: Change) -> Fact | None:
    """Return the fact that a delivery ended; its claims are private, and so are codes and tests."""
    row = change.new
    if row is None or (change.old or {}).get("status") == row["status"] or row["status"] not in TYPE_OF:
        return None
    if proof_in(row["message"]) is not None:
        return None
    told = row["status"] == Status.SENT
    if told and told_in(row["message"]) is not None:
        return None  # it was said to a machine
    person, entity = person_in(row["recipient"]), _told(row) if told else _failed(row)
    name = "told" if told else "failure"
    return Fact(TYPE_OF[row["status"]], row["changed_ms"], person, name, {**entity}, actor=ACTOR)


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


MEANINGS: Final = {DELIVERY: fact_of}
