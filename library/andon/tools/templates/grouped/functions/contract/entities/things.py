"""Things as requests, rows and events say them: a member that is declared here is in all of them."""

from typing import TypedDict

from andon.http.said import Line
from andon.runtime.marks import Annotated, Says


class Thing(TypedDict):
    """A statement about one."""

    place: Annotated[Line, Says("north", "no")]


class ThingEntity(Thing):
    """`thing`: a version of what is said; `shelfId`: of the shelf that it belongs to."""

    shelfId: str
    id: str
    version: int
