"""That somebody has seen a log: said once, by whoever was first."""

from collections.abc import Mapping
from typing import Any

from contract import logs, times
from patterns.events.fact import Change, Fact
from services.dispatch.responsibility import Log, row_key

DISCRIMINATOR = "acknowledgement"


def key_of(log: Log) -> dict[str, str | int]:
    """Give the primary key of the row about a log."""
    return row_key(log, DISCRIMINATOR)


def acknowledge(log: Log, *, actor: str, now_ms: int) -> dict[str, Any]:
    """Decide the row of an acknowledgement.

    Raises:
        Invalid: the log's time lies ahead or too far back.

    """
    return {
        **key_of(log),
        "discriminator": DISCRIMINATOR,
        "equipmentId": log["equipmentId"],
        "state": log["state"],
        "logTimestamp": log["timestamp"],
        # A device's clock may be ahead; nobody acknowledges what is still to come.
        "timestamp": max(now_ms, times.to_ms(log["timestamp"]) + 1),
        "acknowledgedBy": actor,
        "ttl": logs.ttl_of(log["timestamp"], now_ms=now_ms),
    }


def to_response(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give what an answer or an event says: `{equipmentId, state, timestamp, acknowledgedBy, acknowledgedAt}`."""
    return {
        "equipmentId": row["equipmentId"],
        "state": row["state"],
        "timestamp": row["logTimestamp"],
        "acknowledgedBy": row["acknowledgedBy"],
        "acknowledgedAt": times.to_utc(row["timestamp"]),
    }


def fact_of(change: Change) -> Fact | None:
    """Tell that a log was acknowledged; that is never taken back."""
    if change.kind != "INSERT":
        return None
    row = change.row
    return Fact(
        type="state-acknowledged",
        timestamp=row["timestamp"],
        partition_key=row["equipmentId"],
        entity_name=DISCRIMINATOR,
        entity=to_response(row),
    )
