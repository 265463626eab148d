"""Responses of state_log's routes, for the OpenAPI document."""

from andon.http.models import ResponseModel
from andon.http.openapi import Absent


class LogResponse(ResponseModel):
    """A log; `timestamp` is fixed-width UTC."""

    equipmentId: str  # noqa: N815  the contract's name
    state: str
    timestamp: str
    operator: str | Absent = None
    escalatedTo: str | Absent = None  # noqa: N815
    detail: str | Absent = None


class LogsResponse(ResponseModel):
    """A page of logs; a missing cursor is the end."""

    items: list[LogResponse]
    cursor: str | Absent = None
