"""State reports: time-based versions of how a piece of equipment is doing."""

from collections.abc import Mapping, Sequence
from typing import Final, NotRequired, TypedDict

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.schema import KeyQuery
from andon.dynamodb.ttl import is_alive
from andon.events.fact import fact_of_row
from andon.http.periods import period
from andon.runtime import times
from andon.runtime.errors import Conflict, NotFound
from andon.runtime.json_types import members_of
from contract import logs
from contract.entities.reports import StateEntity
from services.equipment.tables import KEYS, partition_of

STATE_REPORTED: Final = "state-reported"

DISCRIMINATOR: Final = "state"

MISSING: Final = "No state is recorded for this equipment."

# Sort keys of states start with a digit; "Metadata" and "v0_Audit…" sort behind ":".
BEFORE_ALL, BEHIND_ALL = "0", ":"


class StateRow(TypedDict):
    """A report in the table; `timestamp`: fixed-width UTC, and the sort key. `ttl`: epoch seconds."""

    pk: str
    sk: str
    discriminator: str
    equipmentId: str
    state: str
    timestamp: str
    detail: NotRequired[str]
    reportedBy: str
    ttl: int


def entity_of(equipment_id: str, timestamp: str, said: Mapping[str, object]) -> StateEntity:
    """Return the entity of a report; `timestamp`: fixed-width UTC."""
    return members_of(StateEntity, {**said, "equipmentId": equipment_id, "timestamp": timestamp})


def report_state(report: StateEntity, *, actor: str, now_ms: int) -> StateRow:
    """Decide the row of a report.

    Raises:
        Invalid: its time is ahead or too far back.

    """
    return {
        "pk": partition_of(report["equipmentId"]),
        "sk": report["timestamp"],
        "discriminator": DISCRIMINATOR,
        **report,
        "reportedBy": actor,
        "ttl": logs.ttl_of(report["timestamp"], now_ms=now_ms),
    }


def require_same(report: StateEntity, row: Item | None) -> None:
    """Check that the row of the report's time says the same.

    Raises:
        Conflict: it says something else.

    """
    if row is None or to_response(row) != report:
        raise Conflict("Another state is recorded for this equipment and time.")


def require_alive(rows: Sequence[Item], *, now_ms: int) -> Item:
    """Return the first of some rows, which has not expired.

    Raises:
        NotFound: there is none, or it has.

    """
    if not rows or not is_alive(rows[0], now_ms):
        raise NotFound(MISSING)
    return rows[0]


def to_response(row: Item) -> StateEntity:
    """Return a report for a response or an event."""
    return members_of(StateEntity, row)


def time_of(row: Item) -> str:
    """Return the time of a report, fixed-width UTC."""
    time: str = row["timestamp"]
    return time


def _time_of(row: Item) -> int:
    return times.to_ms(time_of(row))


# Reports never change.
state_reported: Final = fact_of_row(
    STATE_REPORTED, DISCRIMINATOR, partition="equipmentId", entity_of=to_response, time_of=_time_of, once=True
)


def reports_of(equipment_id: str, first: str | None = None, last: str | None = None) -> KeyQuery:
    """Return the query of the reports of a piece of equipment, newest first, from `first` to `last`.

    Raises:
        Invalid: `first` is later than `last`.

    """
    sort = period(first or BEFORE_ALL, last or BEHIND_ALL)
    return KeyQuery(keys=KEYS, partition=partition_of(equipment_id), sort=sort)
