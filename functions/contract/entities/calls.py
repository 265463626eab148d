"""Entities of calls for help, and of a factory's catalog."""

from typing import Literal, NotRequired, TypedDict

CallStatus = Literal["raised", "taken", "closed", "rejected"]


class CallEntity(TypedDict):
    """`call`: a call for help at a piece of equipment as of `version`.

    factoryId, lineId: where it was raised. priority: 1 comes first. raisedBy, taker, endedBy: tokens' subjects. cause:
    of the catalog, of a call that is closed. reason: of one that is rejected.
    """

    id: str
    version: int
    equipmentId: str
    factoryId: str
    lineId: str
    category: str
    priority: int
    text: NotRequired[str]
    status: CallStatus
    raisedAt: str
    raisedBy: str
    taker: NotRequired[str]
    takenAt: NotRequired[str]
    endedAt: NotRequired[str]
    endedBy: NotRequired[str]
    cause: NotRequired[str]
    note: NotRequired[str]
    reason: NotRequired[str]


class CauseEntity(TypedDict):
    """`cause`: what the trouble was that began at `startedAt`, by a cause of the factory's catalog, as of `version`."""

    equipmentId: str
    startedAt: str
    version: int
    factoryId: str
    cause: str
    note: NotRequired[str]


class CategoryEntity(TypedDict):
    """A category of calls; `priority`: of its calls that say none. needsCause: they are closed with a cause only."""

    id: str
    name: str
    icon: str
    priority: int
    needsCause: bool


class CatalogCauseEntity(TypedDict):
    """A cause: of calls of these categories, and on these lines alone, if it says some."""

    id: str
    name: str
    categories: list[str]
    lines: NotRequired[list[str]]


class CatalogEntity(TypedDict):
    """`catalog`: what a factory calls for, and why there is trouble, as of `version`."""

    factoryId: str
    version: int
    categories: list[CategoryEntity]
    causes: list[CatalogCauseEntity]


class OpenCall(TypedDict):
    """A call that has not ended; `taker` is there once somebody took it. version: for If-Match."""

    id: str
    version: int
    category: str
    priority: int
    status: CallStatus
    raisedAt: str
    taker: NotRequired[str]
