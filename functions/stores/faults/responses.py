"""What the fault store takes and answers."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path
from pydantic import BaseModel, StringConstraints

from patterns.http.openapi import Absent
from stores.faults.record import ID_PATTERN

FaultId = Annotated[str, StringConstraints(pattern=ID_PATTERN), Path(alias="id", description="The id of its event.")]


class FaultError(BaseModel):
    """Why nobody could make anything of the message."""

    name: str
    message: str


class FaultSummary(BaseModel):
    """A fault without its message; `timestamp` is when it came first."""

    id: str
    timestamp: str
    consumer: str
    error: FaultError
    truncated: bool | Absent = None
    resubmittedAt: str | Absent = None  # noqa: N815  the contract's name
    resubmittedBy: str | Absent = None  # noqa: N815


class Fault(FaultSummary):
    """A fault with the original message, as text."""

    message: str


class Faults(BaseModel):
    """A page of faults, newest first; a missing cursor is the end."""

    items: list[FaultSummary]
    cursor: str | Absent = None
