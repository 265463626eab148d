"""Parameters and responses of the archive's routes."""

from typing import Annotated, Final

from pydantic import ConfigDict, Field, StringConstraints

from andon.http.derived import PageOf
from andon.http.models import ResponseModel
from andon.http.parameters import Header, Path
from andon.runtime.json_types import JsonObject
from andon.stores.archive.rehydration import ID_DIGITS

JOB_PATTERN: Final = f"^[0-9a-f]{{{ID_DIGITS}}}$"

Accept = Annotated[
    str | None,
    Header(alias="Accept", description="`application/x-ndjson`: an event a line, instead of a list in an object."),
]


JobId = Annotated[
    str, StringConstraints(pattern=JOB_PATTERN), Path(alias="job", description="The `id` of the rehydration.")
]


# No declaration: nobody makes it, it is a line of the lake, with whatever the bus says besides.
class ArchivedEventResponse(ResponseModel):
    """An event as the bus delivered it; `time` is when the bus took it, `detail` the event with its raw images."""

    model_config = ConfigDict(extra="allow")

    id: str
    source: str
    detail_type: Annotated[str, Field(alias="detail-type")]
    time: str
    detail: JsonObject


EVENTS: Final = PageOf(
    ArchivedEventResponse, "ArchivedEventsResponse", "A page of events, oldest first; a missing cursor is the end."
)
