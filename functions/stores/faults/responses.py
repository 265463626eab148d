"""Parameters and responses of the fault store's routes."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path
from pydantic import BaseModel, StringConstraints

from patterns.http.openapi import Absent
from stores.faults.record import ID_PATTERN

FaultId = Annotated[str, StringConstraints(pattern=ID_PATTERN), Path(alias="id", description="The id of its event.")]


class FaultErrorResponse(BaseModel):
    """Why the consumer could not use the message."""

    name: str
    message: str


class FaultSummaryResponse(BaseModel):
    """A fault without its message; `timestamp` is when it came first."""

    id: str
    timestamp: str
    consumer: str
    error: FaultErrorResponse
    truncated: bool | Absent = None
    resubmittedAt: str | Absent = None  # noqa: N815  the contract's name
    resubmittedBy: str | Absent = None  # noqa: N815


class FaultResponse(FaultSummaryResponse):
    """A fault with the original message, as text."""

    message: str


class FaultsResponse(BaseModel):
    """A page of faults, newest first; a missing cursor is the end."""

    items: list[FaultSummaryResponse]
    cursor: str | Absent = None
