"""A row of state_log: one log."""

from typing import NotRequired, TypedDict

LogRow = TypedDict(
    "LogRow",
    {
        "DeviceID": str,
        "State#Date": str,
        "State": str,
        "Date": str,
        "Detail": NotRequired[str],
        "Operator": NotRequired[str],
        "EscalatedTo": NotRequired[str],
    },
)
"""`State` and `Date` are the parts of the sort key; beside these attributes stand the oplocks and the ttl."""


class LogFields(TypedDict, total=False):
    """Attributes that events add to a log; None removes one."""

    Detail: str | None
    Operator: str
    EscalatedTo: str
