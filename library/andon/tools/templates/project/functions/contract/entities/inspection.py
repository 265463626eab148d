# <inspection>
"""Each inspection as requests, rows and events say it: a member that is declared here is in all of them."""

from typing import TypedDict

from andon.http.said import Lines
from andon.runtime.marks import Annotated, Says


class Inspection(TypedDict):
    """A statement about one."""

    note: Annotated[Lines, Says("note-1")]


class InspectionEntity(Inspection):
    """`inspection`: a version of what is said; `about`: the id of the thing."""

    about: str
    version: int


# </inspection>
