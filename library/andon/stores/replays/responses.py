"""Parameters and responses of the routes of replays."""

from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from andon.http.models import ResponseModel
from andon.http.openapi import Absent
from andon.http.parameters import Path
from andon.stores.replays.replay import ID_DIGITS

ID_PATTERN: Final = f"^[0-9a-f]{{{ID_DIGITS}}}$"

ReplayId = Annotated[
    str, StringConstraints(pattern=ID_PATTERN), Path(alias="id", description="The `id` of the replay.")
]


class ReplayResponse(ResponseModel):
    """A replay. `rate`: events a second, at most; `eventsPerSecond`: since it was asked for, pauses included.

    state: `done` when all messages are on their way to the view. daysPlanned: those whose `objects` are known.
    events: messages that were sent of the objects that are done. faults: events that nobody can read. What the view
    itself cannot use, its log counts as `fault`.
    """

    id: str
    view: str
    first: Annotated[str | Absent, Field(alias="from")] = None
    last: Annotated[str, Field(alias="to")]
    rate: int
    state: Literal["running", "paused", "cancelled", "done"]
    days: int
    daysPlanned: int  # noqa: N815  the contract's name
    objects: int
    objectsDone: int  # noqa: N815
    events: int
    eventsPerSecond: float  # noqa: N815
    faults: int
    requestedBy: str  # noqa: N815
    requestedAt: str  # noqa: N815
