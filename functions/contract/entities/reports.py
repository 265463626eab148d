"""Entities of a piece of equipment's reports, and of its connection."""

from typing import Final, NotRequired, TypedDict

REPORTS_AT_ONCE: Final = 100


class StateEntity(TypedDict):
    """`state`: a report of a piece of equipment."""

    equipmentId: str
    state: str
    timestamp: str
    detail: NotRequired[str]


class ConnectionEntity(TypedDict):
    """`connection`: of a piece of equipment to the broker; `reason`: why it was lost, in the broker's words."""

    equipmentId: str
    since: str
    reason: NotRequired[str]
