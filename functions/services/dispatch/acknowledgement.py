"""That somebody has seen a log: recorded once, for whoever was first."""

from typing import Final, Literal, TypedDict, cast

from andon.dynamodb.attribute_values import Item
from andon.events.fact import fact_of_row
from andon.runtime import times
from contract import logs
from contract.entities import AcknowledgementEntity, LogRef
from services.dispatch.fact_types import STATE_ACKNOWLEDGED
from services.dispatch.responsibility import row_key

DISCRIMINATOR: Final = "acknowledgement"


class AcknowledgementRow(TypedDict):
    """The row of an acknowledgement, its primary key aside; `timestamp`: epoch milliseconds, `ttl`: epoch seconds."""

    discriminator: Literal["acknowledgement"]
    equipmentId: str
    state: str
    logTimestamp: str
    timestamp: int
    acknowledgedBy: str
    ttl: int


def key_of(log: LogRef) -> dict[str, str | int]:
    """Return the primary key of the row about a log."""
    return row_key(log, DISCRIMINATOR)


def acknowledge(log: LogRef, *, actor: str, now_ms: int) -> Item:
    """Decide the row of an acknowledgement; actor: the caller's subject.

    Raises:
        Invalid: the log's time lies ahead or too far back.

    """
    row: AcknowledgementRow = {
        "discriminator": DISCRIMINATOR,
        "equipmentId": log["equipmentId"],
        "state": log["state"],
        "logTimestamp": log["timestamp"],
        # A device's clock may be ahead; nobody acknowledges what is still to come.
        "timestamp": max(now_ms, times.to_ms(log["timestamp"]) + 1),
        "acknowledgedBy": actor,
        "ttl": logs.ttl_of(log["timestamp"], now_ms=now_ms),
    }
    return {**key_of(log), **row}


def to_response(item: Item) -> AcknowledgementEntity:
    """Return a row for a response or an event."""
    row = cast("AcknowledgementRow", item)
    return {
        "equipmentId": row["equipmentId"],
        "state": row["state"],
        "timestamp": row["logTimestamp"],
        "acknowledgedBy": row["acknowledgedBy"],
        "acknowledgedAt": times.to_utc(row["timestamp"]),
    }


fact_of: Final = fact_of_row(
    STATE_ACKNOWLEDGED, DISCRIMINATOR, partition="equipmentId", entity_of=to_response, once=True
)
