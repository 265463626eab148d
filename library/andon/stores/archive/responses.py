"""Parameters and responses of the archive's routes."""

from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, StringConstraints

from andon.http.models import ResponseModel
from andon.http.openapi import Absent
from andon.http.parameters import Header, Path
from andon.runtime.json_types import JsonObject
from andon.stores.archive.rehydration import ID_DIGITS
from andon.stores.archive.store import SUBJECTS

JOB_PATTERN: Final = f"^[0-9a-f]{{{ID_DIGITS}}}$"

Accept = Annotated[
    str | None,
    Header(alias="Accept", description="`application/x-ndjson`: an event a line, instead of a list in an object."),
]


JobId = Annotated[
    str, StringConstraints(pattern=JOB_PATTERN), Path(alias="job", description="The `id` of the rehydration.")
]


class ArchivedEventResponse(ResponseModel):
    """An event as the bus delivered it; `time` is when the bus took it, `detail` the event with its raw images."""

    model_config = ConfigDict(extra="allow")

    id: str
    source: str
    detail_type: Annotated[str, Field(alias="detail-type")]
    time: str
    detail: JsonObject


class ArchivedEventsResponse(ResponseModel):
    """A page of events, oldest first; a missing cursor is the end."""

    items: list[ArchivedEventResponse]
    cursor: str | Absent = None


class RehydrationResponse(ResponseModel):
    """A rehydration. `until`: when what comes back expires.

    daysDone: the archived days of which all messages are on their way to the tables; `messages` counts them. A message
    brings back a row, or finds that it is there.
    """

    id: str
    subject: Annotated[str, Field(alias=SUBJECTS.field)]
    first: Annotated[str, Field(alias="from")]
    last: Annotated[str, Field(alias="to")]
    until: str
    requestedBy: str  # noqa: N815
    requestedAt: str  # noqa: N815
    state: Literal["working", "done"]
    days: int
    daysDone: int  # noqa: N815
    messages: int
