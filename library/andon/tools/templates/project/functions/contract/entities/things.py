"""Things as requests, rows and events say them: a member that is declared here is in all of them."""

from typing import TypedDict

from andon.http.said import Line, Time, Word
from andon.runtime.marks import Annotated, Says


class Thing(TypedDict):
    """What is said of one."""

    place: Annotated[Line, Says("place-1", "no")]
    number: Annotated[Word, Says("A-7", "no")]
    due: Annotated[Time, Says("2026-01-31T00:00:00.000Z", "no")]


class ThingEntity(Thing):
    """`thing`: a version of what is said."""

    id: str
    version: int
