"""Parameters and responses of the fault store's routes."""

from typing import Annotated

from pydantic import Field, StringConstraints

from andon.http.models import ResponseModel
from andon.http.openapi import Absent
from andon.http.parameters import Path
from andon.http.schemas import IMPERSONAL
from andon.stores.faults.record import ID_PATTERN

FaultId = Annotated[
    str,
    StringConstraints(pattern=ID_PATTERN),
    Field(json_schema_extra=IMPERSONAL),
    Path(alias="id", description="The id of its event."),
]


class FaultErrorResponse(ResponseModel):
    """Why the consumer could not use the message."""

    name: str
    message: str


class AttemptResponse(ResponseModel):
    """A resubmission; `failedAt` and `error`: the consumer could not use the message that time either."""

    resubmittedAt: str  # noqa: N815  the contract's name
    resubmittedBy: str  # noqa: N815
    failedAt: str | Absent = None  # noqa: N815
    error: FaultErrorResponse | Absent = None


class FaultSummaryResponse(ResponseModel):
    """A fault without its message; `timestamp` is when it came first.

    `facts`: so many facts of one group are its message. `resubmissions` counts all of them; `resubmittedAt`,
    `resubmittedBy` and `failedAgainAt` are of the last one.
    """

    id: str
    timestamp: str
    consumer: str
    error: FaultErrorResponse
    truncated: bool | Absent = None
    facts: int | Absent = None
    resubmittedAt: str | Absent = None  # noqa: N815  the contract's name
    resubmittedBy: str | Absent = None  # noqa: N815
    resubmissions: int | Absent = None
    failedAgainAt: str | Absent = None  # noqa: N815


class FaultResponse(FaultSummaryResponse):
    """A fault with the original message, as text; `attempts`: the newest resubmissions, in order."""

    message: str
    attempts: list[AttemptResponse] | Absent = None


class FaultsResponse(ResponseModel):
    """A page of faults, newest first; a missing cursor is the end."""

    items: list[FaultSummaryResponse]
    cursor: str | Absent = None
