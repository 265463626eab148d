"""Bodies of equipment2's requests and responses."""

from typing import Annotated, Final

from pydantic import AfterValidator, Field, WithJsonSchema

from andon.http.fields import Id, Line, Number, Part, Time, Word
from andon.http.models import RequestModel, ResponseModel
from andon.http.openapi import Absent
from andon.http.schemas import IMPERSONAL
from andon.runtime import texts
from contract import names, schemas
from contract.locations import COMPANY, FIELDS, NOT_SAID

MAX_LEVELS: Final = 16
MAX_OTHER_LEVELS: Final = MAX_LEVELS - len(FIELDS)
"""Levels besides the seven, so that those that an edit of the other version adds fit, too."""


def _place(text: str) -> str:
    name = texts.part(text)
    if name == NOT_SAID:
        raise ValueError(f"must not be {NOT_SAID}: leave the level out")
    return name


class Level(RequestModel):
    """A level of a location, and the name of the place on it."""

    level: Annotated[str, AfterValidator(names.level), WithJsonSchema(schemas.LEVEL)] = Field(
        examples=["country"], json_schema_extra=IMPERSONAL
    )
    name: Annotated[Part, AfterValidator(_place)] = Field(examples=["MX"], json_schema_extra=IMPERSONAL)


def _location(levels: list[Level]) -> list[Level]:
    said = [one.level for one in levels]
    if len(set(said)) < len(said):
        raise ValueError("must name each level once")
    if COMPANY not in said:
        raise ValueError(f"must have a level {COMPANY}")
    if len(set(said) - set(FIELDS)) > MAX_OTHER_LEVELS:
        raise ValueError(f"must have at most {MAX_OTHER_LEVELS} levels besides {', '.join(FIELDS)}")
    return levels


Levels = Annotated[
    list[Level],
    Field(  # before the validator, or the length would be looked at after each level
        min_length=1,
        max_length=MAX_LEVELS,
        description="From the outside in. A company is needed; each other level may be left out, and others be added.",
        examples=[[{"level": "company", "name": "Acme"}, {"level": "hall", "name": "3"}]],
    ),
    AfterValidator(_location),
]


class MachineBody(RequestModel):
    """What a piece of equipment is, and on which levels it stands; with `validFrom`, what it has been since before."""

    name: Line = Field(examples=["Hydraulic press 7"], json_schema_extra=IMPERSONAL)
    factoryId: Word = Field(examples=["gdl-1"], json_schema_extra=IMPERSONAL)  # noqa: N815  the contract's name
    lineId: Id = Field(examples=["line-3"], json_schema_extra=IMPERSONAL)  # noqa: N815
    levels: Levels
    validFrom: Time | None = Field(default=None, examples=["2020-04-20T06:00:00Z"])  # noqa: N815


class Machine(ResponseModel):
    """A version of a piece of equipment; times are fixed-width UTC.

    `validFrom` is there if it has been so since before `changedAt`, when it was recorded.
    """

    id: str
    version: int
    name: str
    factoryId: str  # noqa: N815
    lineId: str  # noqa: N815
    levels: list[Level]
    validFrom: str | Absent = None  # noqa: N815
    changedAt: str  # noqa: N815
    changedBy: str  # noqa: N815
    deleted: bool | Absent = None


class Machines(ResponseModel):
    """A page of versions, newest first; a missing cursor is the end."""

    items: list[Machine]
    cursor: str | Absent = None


class MachineRollbackBody(RequestModel):
    """The version whose content becomes current again."""

    toVersion: Number  # noqa: N815
