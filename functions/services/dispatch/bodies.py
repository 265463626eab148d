"""Bodies of dispatch's requests and responses."""

from typing import Annotated, Final, TypedDict

from andon.outbound.links import MOST_CHARACTERS
from andon.runtime.marks import Bounds, Named, Says
from contract.entities.logs import AcknowledgementEntity, LogRef

MAX_ACKNOWLEDGED: Final = 100
"""Logs that are acknowledged at once: as many as a line has."""

Logs = Annotated[list[Annotated[LogRef, Named("LogBody")]], Bounds(1, MAX_ACKNOWLEDGED)]


class LinkBody(TypedDict):
    """The link of a message: the part behind its `#a=`."""

    token: Annotated[str, Bounds(1, MOST_CHARACTERS), Says(personal="no")]


class LinkResponse(TypedDict):
    """The first acknowledgement of each log of a link; `person`: the recipient of the link."""

    person: str
    items: list[AcknowledgementEntity]


class AcknowledgementsResponse(TypedDict):
    """The first acknowledgement of each log, in the order of the request, and tokens for `?after=` of a view."""

    items: list[AcknowledgementEntity]
    after: list[str]
