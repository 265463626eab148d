"""Bodies of equipment's requests and responses."""

from typing import Annotated

from pydantic import AfterValidator, Field, WithJsonSchema

from andon.http import schemas
from andon.http.fields import Id, Line, Lines, Number, Part, Time, Word
from andon.http.models import RequestModel, ResponseModel
from andon.http.openapi import Absent
from andon.http.schemas import IMPERSONAL, MAY_NAME_SOMEBODY
from andon.runtime import texts
from contract import names
from contract.fields import Person
from contract.schemas import STATE
from services.equipment.stream_first import REPORTS_AT_ONCE

MAX_DETAIL_BYTES = 4096


def _detail(text: str) -> str:
    lines = texts.lines(text, longest=MAX_DETAIL_BYTES)
    if len(lines.encode()) > MAX_DETAIL_BYTES:
        raise ValueError(f"must be at most {MAX_DETAIL_BYTES} bytes")
    return lines


Detail = Annotated[str, AfterValidator(_detail), WithJsonSchema(schemas.lines(MAX_DETAIL_BYTES) | MAY_NAME_SOMEBODY)]


class Location(RequestModel):
    """Where equipment stands, from the company down."""

    company: Part = Field(examples=["Acme"], json_schema_extra=IMPERSONAL)
    country: Part = Field(examples=["MX"], json_schema_extra=IMPERSONAL)
    region: Part = Field(examples=["West"], json_schema_extra=IMPERSONAL)
    state: Part = Field(examples=["JAL"], json_schema_extra=IMPERSONAL)
    county: Part = Field(examples=["Guadalajara"], json_schema_extra=IMPERSONAL)
    city: Part = Field(examples=["Guadalajara"], json_schema_extra=IMPERSONAL)
    neighborhood: Part = Field(examples=["Centro"], json_schema_extra=IMPERSONAL)


class EquipmentBody(RequestModel):
    """What a piece of equipment is, and where it stands; with `validFrom`, what it has been since before now."""

    name: Line = Field(examples=["Hydraulic press 7"], json_schema_extra=IMPERSONAL)
    factoryId: Word = Field(examples=["gdl-1"], json_schema_extra=IMPERSONAL)  # noqa: N815  the contract's name
    lineId: Id = Field(examples=["line-3"], json_schema_extra=IMPERSONAL)  # noqa: N815
    location: Location
    validFrom: Time | None = Field(default=None, examples=["2020-04-20T06:00:00Z"])  # noqa: N815


class Equipment(ResponseModel):
    """A version of a piece of equipment; times are fixed-width UTC.

    `validFrom` is there if it has been so since before `changedAt`, when it was recorded.
    """

    id: str
    version: int
    name: str
    factoryId: str  # noqa: N815
    lineId: str  # noqa: N815
    location: Location
    validFrom: str | Absent = None  # noqa: N815
    changedAt: str  # noqa: N815
    changedBy: str  # noqa: N815
    deleted: bool | Absent = None


class EquipmentVersions(ResponseModel):
    """A page of versions, newest first; a missing cursor is the end."""

    items: list[Equipment]
    cursor: str | Absent = None


class RollbackBody(RequestModel):
    """The version whose content becomes current again."""

    toVersion: Number  # noqa: N815


class AuditBody(RequestModel):
    """What an auditor found."""

    result: Line = Field(examples=["passed"], json_schema_extra=MAY_NAME_SOMEBODY)
    auditor: Person = Field(examples=["au-05"])
    notes: Lines | None = None


class Audit(ResponseModel):
    """An audit of a part; `changedAt` is fixed-width UTC."""

    equipmentId: str  # noqa: N815
    part: str
    revision: int
    result: str
    auditor: str
    notes: str | Absent = None
    changedAt: str  # noqa: N815
    changedBy: str  # noqa: N815


class Audits(ResponseModel):
    """A page of audits; a missing cursor is the end."""

    items: list[Audit]
    cursor: str | Absent = None


class StateBody(RequestModel):
    """The state that a device reports of itself."""

    state: Annotated[str, AfterValidator(names.state), WithJsonSchema(STATE)] = Field(examples=["WARNING1"])
    detail: Detail | None = None


class ReportBody(StateBody):
    """One of many reports, which are published and not kept."""

    equipmentId: Word = Field(examples=["press-7"], json_schema_extra=IMPERSONAL)  # noqa: N815
    timestamp: Time


Reports = Annotated[list[ReportBody], Field(min_length=1, max_length=REPORTS_AT_ONCE)]


class Accepted(ResponseModel):
    """The ids of the events, and tokens for `?after=` of a view, both in the order of the reports."""

    ids: list[str]
    after: list[str]


class StateReport(ResponseModel):
    """A report of a state; `timestamp` is fixed-width UTC."""

    equipmentId: str  # noqa: N815  the contract's name
    state: str
    timestamp: str
    detail: str | Absent = None


class StateReports(ResponseModel):
    """A page of reports, newest first; a missing cursor is the end."""

    items: list[StateReport]
    cursor: str | Absent = None
