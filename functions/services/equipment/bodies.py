"""Bodies of equipment's requests and responses."""

from typing import Annotated

from pydantic import AfterValidator, Field, WithJsonSchema

from andon.http import schemas
from andon.http.fields import Time, Word
from andon.http.models import RequestModel, ResponseModel
from andon.http.openapi import Absent
from andon.http.schemas import IMPERSONAL, MAY_NAME_SOMEBODY
from andon.runtime import texts
from contract import names
from contract.schemas import STATE
from services.equipment.stream_first import REPORTS_AT_ONCE

MAX_DETAIL_BYTES = 4096


def _detail(text: str) -> str:
    lines = texts.lines(text, longest=MAX_DETAIL_BYTES)
    if len(lines.encode()) > MAX_DETAIL_BYTES:
        raise ValueError(f"must be at most {MAX_DETAIL_BYTES} bytes")
    return lines


Detail = Annotated[str, AfterValidator(_detail), WithJsonSchema(schemas.lines(MAX_DETAIL_BYTES) | MAY_NAME_SOMEBODY)]


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
