"""Entities of calls for help, and of a factory's catalog."""

from collections.abc import Iterable
from typing import Final, Literal, TypedDict

from andon.http.said import Id, Line, Lines, Word, fits_row
from andon.runtime.marks import Annotated, Bounds, NotRequired, Says, Takes, checked
from contract import names

MOST_CATEGORIES: Final = 12
MOST_CAUSES: Final = 200
MOST_LINES: Final = 50
LEAST_PRIORITY: Final = 3

CallStatus = Literal["raised", "taken", "closed", "rejected"]

CallName = Annotated[
    str,
    Takes(names.call_name, names.schema(names.CALL_NAME_PATTERN)),
    Says("material", "no"),
]
CauseName = Annotated[CallName, Says("out-of-coils")]
Priority = Annotated[int, Bounds(1, LEAST_PRIORITY), Says(1)]


class CallBody(TypedDict):
    """The needed help and its place; without a priority, that of the category."""

    equipmentId: Annotated[Word, Says("press-7", "no")]
    category: CallName
    priority: NotRequired[Priority]
    text: NotRequired[Lines]


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


class CauseBody(TypedDict):
    """The cause, by the factory's catalog."""

    cause: CauseName
    note: NotRequired[Lines]


class CauseKey(TypedDict):
    """The episode that began at a piece of equipment then, the version of its cause, and the factory."""

    equipmentId: str
    startedAt: str
    version: int
    factoryId: str


class CauseEntity(CauseKey, CauseBody):
    """`cause`: the cause of the trouble that began at `startedAt`, by the factory's catalog, as of `version`."""


class CategoryEntity(TypedDict):
    """A category of calls; `priority` (1 comes first) is that of calls that say none.

    needsCause: they are closed with a cause only.
    """

    id: CallName
    name: Annotated[Line, Says("Material", "no")]
    icon: Annotated[CallName, Says("box")]
    priority: Priority
    needsCause: Annotated[bool, Says(True)]  # noqa: FBT003  an example


class CatalogCauseEntity(TypedDict):
    """A cause of calls of these categories; with `lines`, on these alone."""

    id: CauseName
    name: Annotated[Line, Says("Out of coils", "no")]
    categories: Annotated[list[CallName], Bounds(1, MOST_CATEGORIES)]
    lines: NotRequired[Annotated[list[Annotated[Id, Says("line-3", "no")]], Bounds(1, MOST_LINES)]]


def _require_different(what: str, ids: Iterable[str]) -> None:
    listed = [*ids]
    if len(set(listed)) < len(listed):
        raise ValueError(f"{what} must have different ids")


def _are_consistent(said: "CatalogContent") -> None:
    _require_different("categories", (one["id"] for one in said["categories"]))
    _require_different("causes", (one["id"] for one in said["causes"]))
    known = {one["id"] for one in said["categories"]}
    if strange := sorted({name for cause in said["causes"] for name in cause["categories"]} - known):
        raise ValueError(f"causes name categories that are not there: {', '.join(strange)}")


@checked(fits_row, _are_consistent)
class CatalogContent(TypedDict):
    """The categories of a factory's calls, and the causes of its trouble; together at most 256 KB."""

    factoryId: str
    categories: Annotated[list[CategoryEntity], Bounds(1, MOST_CATEGORIES)]
    causes: Annotated[list[CatalogCauseEntity], Bounds(most=MOST_CAUSES)]


class CatalogEntity(CatalogContent):
    """`catalog`: the categories of a factory's calls, and the causes of its trouble, as of `version`."""

    version: int


class OpenCall(TypedDict):
    """A call that has not ended; `taker` is there once somebody took it. version: for If-Match."""

    id: str
    version: int
    category: str
    priority: int
    status: CallStatus
    raisedAt: str
    taker: NotRequired[str]
