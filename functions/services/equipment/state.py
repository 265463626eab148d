"""State reports: time-based versions of how a piece of equipment is doing."""

from collections.abc import Mapping
from typing import Any

from contract import logs, times
from contract.periods import period
from patterns.dynamodb.key_query import KeyQuery
from patterns.events.fact import Change, Fact
from patterns.runtime.errors import Conflict
from services.equipment.tables import KEYS, partition_of

DISCRIMINATOR = "state"

# Sort keys of states start with a digit; "Metadata" and "v0_Audit…" sort behind ":".
BEFORE_ALL, BEHIND_ALL = "0", ":"

FIELDS = ("equipmentId", "state", "timestamp", "detail")


def report_state(report: Mapping[str, Any], *, actor: str, now_ms: int) -> dict[str, Any]:
    """Decide the row of a report `{equipmentId, state, timestamp, detail?}`.

    Raises:
        Invalid: its time lies ahead or too far back.

    """
    return {
        "pk": partition_of(report["equipmentId"]),
        "sk": report["timestamp"],
        "discriminator": DISCRIMINATOR,
        **to_response(report),
        "reportedBy": actor,
        "ttl": logs.ttl_of(report["timestamp"], now_ms=now_ms),
    }


def require_same(report: Mapping[str, Any], row: Mapping[str, Any] | None) -> None:
    """Check that what stands at the report's time says the same.

    Raises:
        Conflict: it says something else.

    """
    if row is None or to_response(row) != to_response(report):
        raise Conflict("Another state is recorded for this equipment and time.")


def to_response(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give what an answer or an event says of a report."""
    return {name: row[name] for name in FIELDS if row.get(name) is not None}


def state_reported(change: Change) -> Fact | None:
    """Tell of a report that came to be; reports never change."""
    if change.kind != "INSERT":
        return None
    row = change.row
    return Fact(
        type="state-reported",
        timestamp=times.to_ms(row["timestamp"]),
        partition_key=row["equipmentId"],
        entity_name="state",
        entity=to_response(row),
    )


def reports_of(equipment_id: str, first: str | None = None, last: str | None = None) -> KeyQuery:
    """Ask for the reports of a piece of equipment, newest first, from `first` to `last`.

    Raises:
        Invalid: `first` lies behind `last`.

    """
    sort = period(first or BEFORE_ALL, last or BEHIND_ALL)
    return KeyQuery(keys=KEYS, partition=partition_of(equipment_id), sort=sort)
