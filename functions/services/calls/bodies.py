"""Bodies and parameters of calls' requests and responses."""

from collections.abc import Iterable
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from andon.http import schemas
from andon.http.fields import Line, Lines, Word
from andon.http.models import RequestModel, ResponseModel, RowModel
from andon.http.openapi import Absent
from andon.http.parameters import Path, Query, described
from andon.http.problem import Problem
from andon.runtime import texts, times
from contract import names
from contract.entities.calls import CallStatus

MOST_CATEGORIES: Final = 12
MOST_CAUSES: Final = 200
MOST_LINES: Final = 50
LEAST_PRIORITY: Final = 3

Name = Annotated[
    str,
    AfterValidator(names.call_name),
    described({"type": "string", "pattern": names.CALL_NAME_PATTERN} | schemas.IMPERSONAL, "material"),
]
LineId = Annotated[str, AfterValidator(texts.identifier), described(schemas.IDENTIFIER | schemas.IMPERSONAL, "line-3")]
Priority = Annotated[int, Field(ge=1, le=LEAST_PRIORITY, examples=[1])]

StartedAt = Annotated[
    str,
    AfterValidator(times.normalised),
    described(schemas.TIME, "2026-11-21T09:35:00Z"),
    Path(alias="startedAt", description="When the episode began: the `startedAt` of `/episodes`."),
]
LineFilter = Annotated[
    str | None,
    AfterValidator(texts.identifier),
    described(schemas.IDENTIFIER | schemas.IMPERSONAL, "line-3"),
    Query(alias="line", description="The `lineId` of the equipment."),
]
OpenFilter = Annotated[
    Literal["true"],
    Query(alias="open", description="By place, only open calls are listed; those that ended stand at the equipment."),
]


class CallBody(RequestModel):
    """What help is needed for, where; without a priority, that of the category."""

    equipmentId: Word = Field(examples=["press-7"], json_schema_extra=schemas.IMPERSONAL)  # noqa: N815  the contract's name
    category: Name = Field(examples=["material"])
    priority: Priority | None = None
    text: Lines | None = None


class ClosureBody(RequestModel):
    """What it was, by the factory's catalog."""

    cause: Name | None = Field(default=None, examples=["out-of-coils"])
    note: Lines | None = None


class RejectionBody(RequestModel):
    """Why nothing is done about it."""

    reason: Line = Field(examples=["It was a drill."], json_schema_extra=schemas.MAY_NAME_SOMEBODY)


class CauseBody(RequestModel):
    """What it was, by the factory's catalog."""

    cause: Name = Field(examples=["out-of-coils"])
    note: Lines | None = None


class CategoryBody(RequestModel):
    """A category of calls; `priority` (1 comes first) is that of calls that say none."""

    id: Name = Field(examples=["material"])
    name: Line = Field(examples=["Material"], json_schema_extra=schemas.IMPERSONAL)
    icon: Name = Field(examples=["box"])
    priority: Priority
    needsCause: bool = Field(examples=[True])  # noqa: N815


class CatalogCauseBody(RequestModel):
    """A cause of calls of these categories; with `lines`, on these alone."""

    id: Name = Field(examples=["out-of-coils"])
    name: Line = Field(examples=["Out of coils"], json_schema_extra=schemas.IMPERSONAL)
    categories: Annotated[list[Name], Field(min_length=1, max_length=MOST_CATEGORIES)]
    lines: Annotated[
        list[LineId] | None,
        Field(default=None, min_length=1, max_length=MOST_LINES),
    ] = None


def _require_different(what: str, ids: Iterable[str]) -> None:
    listed = [*ids]
    if len(set(listed)) < len(listed):
        raise ValueError(f"{what} must have different ids")


class CatalogBody(RowModel):
    """What a factory calls for, and the causes of its trouble; together at most 256 KB."""

    categories: Annotated[list[CategoryBody], Field(min_length=1, max_length=MOST_CATEGORIES)]
    causes: Annotated[list[CatalogCauseBody], Field(max_length=MOST_CAUSES)]

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        _require_different("categories", (one.id for one in self.categories))
        _require_different("causes", (one.id for one in self.causes))
        known = {one.id for one in self.categories}
        if strange := sorted({name for cause in self.causes for name in cause.categories} - known):
            raise ValueError(f"causes name categories that are not there: {', '.join(strange)}")
        return self


class CallResponse(ResponseModel):
    """A call; times are fixed-width UTC, people tokens' subjects.

    secondsToTake: from the raising until it was first taken. secondsToClose: until it was closed. `endedAt` and
    `endedBy` are of a call that is closed, or rejected for a `reason`. Of an open call of the company that had the
    equipment before, where, by whom and why is left out.
    """

    id: str
    version: int
    equipmentId: str  # noqa: N815
    factoryId: str | Absent = None  # noqa: N815
    lineId: str | Absent = None  # noqa: N815
    category: str
    priority: int
    text: str | Absent = None
    status: CallStatus
    raisedAt: str  # noqa: N815
    raisedBy: str | Absent = None  # noqa: N815
    taker: str | Absent = None
    takenAt: str | Absent = None  # noqa: N815
    endedAt: str | Absent = None  # noqa: N815
    endedBy: str | Absent = None  # noqa: N815
    cause: str | Absent = None
    note: str | Absent = None
    reason: str | Absent = None
    secondsToTake: int | Absent = None  # noqa: N815
    secondsToClose: int | Absent = None  # noqa: N815
    changedAt: str | Absent = None  # noqa: N815
    changedBy: str | Absent = None  # noqa: N815


class CallsResponse(ResponseModel):
    """A page of calls; a missing cursor is the end."""

    items: list[CallResponse]
    cursor: str | Absent = None


class OpenCallProblem(Problem):
    """Why it was not raised; `call` is the one of this category that is open, if that is why."""

    call: CallResponse | Absent = None


class CategoryResponse(ResponseModel):
    """A category of calls."""

    id: str
    name: str
    icon: str
    priority: int
    needsCause: bool  # noqa: N815


class CatalogCauseResponse(ResponseModel):
    """A cause of calls of these categories; with `lines`, on these alone."""

    id: str
    name: str
    categories: list[str]
    lines: list[str] | Absent = None


class CatalogResponse(ResponseModel):
    """A factory's catalog; `changedAt` is fixed-width UTC."""

    factoryId: str  # noqa: N815
    version: int
    categories: list[CategoryResponse]
    causes: list[CatalogCauseResponse]
    changedAt: str  # noqa: N815
    changedBy: str  # noqa: N815


class CauseResponse(ResponseModel):
    """The cause of an episode; times are fixed-width UTC."""

    equipmentId: str  # noqa: N815
    startedAt: str  # noqa: N815
    version: int
    factoryId: str  # noqa: N815
    cause: str
    note: str | Absent = None
    changedAt: str  # noqa: N815
    changedBy: str  # noqa: N815
