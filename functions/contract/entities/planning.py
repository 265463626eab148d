"""Entities of planning: a machine's orders under way, next and overdue."""

from typing import NotRequired, TypedDict


class OpenOrder(TypedDict):
    """An order that is not finished; `startedAt` is there once it was started."""

    date: str
    kind: str
    plannedFor: str
    startedAt: NotRequired[str]


class UpkeepEntity(TypedDict):
    """`upkeep`: the orders of a machine that are under way, and the first of those that are planned, if there is any.

    timestamp: since when it is so.
    """

    equipmentId: str
    timestamp: str
    underWay: list[OpenOrder]
    next: NotRequired[OpenOrder]


class OverdueEntity(OpenOrder):
    """`overdue`: an order that was not finished on the day that it was planned for, at `timestamp`, the end of it."""

    equipmentId: str
    timestamp: str
