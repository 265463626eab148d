"""Parameters and responses of the archive's routes."""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Header
from pydantic import ConfigDict, Field

from patterns.http.models import ResponseModel
from patterns.http.openapi import Absent

Accept = Annotated[
    str | None,
    Header(alias="Accept", description="`application/x-ndjson`: an event a line, instead of a list in an object."),
]


class ArchivedEventResponse(ResponseModel):
    """An event as the bus delivered it; `time` is when the bus took it, `detail` the event with its raw images."""

    model_config = ConfigDict(extra="allow")

    id: str
    source: str
    detail_type: Annotated[str, Field(alias="detail-type")]
    time: str
    detail: dict[str, Any]


class ArchivedEventsResponse(ResponseModel):
    """A page of events, oldest first; a missing cursor is the end."""

    items: list[ArchivedEventResponse]
    cursor: str | Absent = None
