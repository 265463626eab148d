"""Entities of maintenance."""

from typing import Literal, NotRequired, TypedDict

OrderStatus = Literal["planned", "started", "finished"]
Result = Literal["done", "partly", "skipped"]


class PlannedBefore(TypedDict):
    """Factory and day that an order was planned for before."""

    factoryId: str
    plannedFor: str


class OrderEntity(TypedDict):
    """`order`: maintenance of a machine as of `version`; days are UTC. `date` is the day that it was first planned for.

    minutes: how long it is expected to take. readingsNumber: of what was measured at the end, in the log of its
    readings. before: of the version before.
    """

    equipmentId: str
    date: str
    kind: str
    version: int
    factoryId: str
    plannedFor: str
    minutes: NotRequired[int]
    status: OrderStatus
    startedAt: NotRequired[str]
    finishedAt: NotRequired[str]
    result: NotRequired[Result]
    readingsNumber: NotRequired[int]
    before: NotRequired[PlannedBefore]


class AttachmentEntity(TypedDict):
    """`attachment`: a photo or a document of an order, by the SHA-256 of its bytes; `bytes` is how many they are."""

    equipmentId: str
    date: str
    kind: str
    sha256: str
    contentType: str
    bytes: int


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
