"""The acknowledgement of a log: recorded once, for the first person."""

from collections.abc import Sequence
from typing import Final, Literal, TypedDict

from andon.dynamodb.attribute_values import Item
from andon.events.fact import fact_of_row
from andon.runtime import times
from andon.runtime.errors import Invalid
from andon.runtime.marks import NotRequired
from contract import logs
from contract.entities.logs import AcknowledgementEntity, LogRef
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
    via: NotRequired[Literal["link"]]
    ttl: int


def key_of(log: LogRef) -> dict[str, str | int]:
    """Return the primary key of the row about a log."""
    return row_key(log, DISCRIMINATOR)


def acknowledge_all(logs: Sequence[LogRef], *, actor: str, now_ms: int, **via: Literal["link"]) -> list[Item]:
    """Decide the rows of several acknowledgements; `via=`: another way than the API with a token.

    Raises:
        Invalid: the time of one lies ahead or too far back, or one is named twice.

    """
    if twice := [number for number, log in enumerate(logs) if log in logs[:number]]:
        raise Invalid.field(f"body.{twice[0]}", "is named twice")
    return [
        {**acknowledge(log, actor=actor, now_ms=now_ms, field=f"body.{number}.timestamp"), **via}
        for number, log in enumerate(logs)
    ]


def acknowledge(log: LogRef, *, actor: str, now_ms: int, field: str = "path.timestamp") -> Item:
    """Decide the row of an acknowledgement; actor: the caller's subject. field: of the request, with the log's time.

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
        "ttl": logs.ttl_of(log["timestamp"], now_ms=now_ms, field=field),
    }
    return {**key_of(log), **row}


def to_response(row: Item) -> AcknowledgementEntity:
    """Return a row for a response or an event."""
    entity: AcknowledgementEntity = {
        "equipmentId": row["equipmentId"],
        "state": row["state"],
        "timestamp": row["logTimestamp"],
        "acknowledgedBy": row["acknowledgedBy"],
        "acknowledgedAt": times.to_utc(row["timestamp"]),
    }
    return {**entity, "via": row["via"]} if "via" in row else entity


fact_of: Final = fact_of_row(
    STATE_ACKNOWLEDGED, DISCRIMINATOR, partition="equipmentId", entity_of=to_response, once=True
)
