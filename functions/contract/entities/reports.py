"""Entities of what a piece of equipment reports, and of its connection."""

from typing import Final, TypedDict

from andon.http.said import SomeLines, Time, Word
from andon.runtime.marks import Annotated, NotRequired, Says, Takes
from contract import names

MAX_DETAIL_BYTES: Final = 4096


def _require_bytes(text: str) -> str:
    if len(text.encode()) > MAX_DETAIL_BYTES:
        raise ValueError(f"must be at most {MAX_DETAIL_BYTES} bytes")
    return text


class State(TypedDict):
    """The state that a device reports of itself."""

    state: Annotated[str, Takes(names.state, {"type": "string", "pattern": names.STATE_PATTERN}), Says("WARNING1")]
    detail: NotRequired[
        Annotated[str, Takes(SomeLines(MAX_DETAIL_BYTES)), Takes(_require_bytes), Says(personal="possible")]
    ]


class StateEntity(State):
    """`state`: a report of a piece of equipment."""

    equipmentId: Annotated[Word, Says("press-7", "no")]
    timestamp: Time


class ConnectionEntity(TypedDict):
    """`connection`: of a piece of equipment to the broker; `reason`: why it was lost, in the broker's words."""

    equipmentId: str
    since: str
    reason: NotRequired[str]
