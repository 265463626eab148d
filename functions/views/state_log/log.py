"""A log, as a response has it. Pure."""

from typing import NotRequired, TypedDict

from andon.dynamodb.attribute_values import Item
from views.state_log.row import LogRow


class Log(TypedDict):
    """A log: a report of a piece of equipment, and its people; `timestamp` is fixed-width UTC."""

    equipmentId: str
    state: str
    timestamp: str
    operator: NotRequired[str]
    escalatedTo: NotRequired[str]
    detail: NotRequired[str]


def equipment_in(row: Item) -> str:
    """Return the piece of equipment that a row is about."""
    equipment_id: str = row["DeviceID"]
    return equipment_id


def time_of(row: Item) -> str:
    """Return the time of a log, fixed-width UTC."""
    time: str = row["Date"]
    return time


def to_response(row: LogRow) -> Log:
    """Return the response body for a row."""
    log: Log = {"equipmentId": row["DeviceID"], "state": row["State"], "timestamp": row["Date"]}
    if "Operator" in row:
        log["operator"] = row["Operator"]
    if "EscalatedTo" in row:
        log["escalatedTo"] = row["EscalatedTo"]
    if "Detail" in row:
        log["detail"] = row["Detail"]
    return log
