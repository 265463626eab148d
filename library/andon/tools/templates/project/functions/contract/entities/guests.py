"""Guests as requests and events say them: no event ever has a name."""

from typing import TypedDict

from andon.http.said import Line, Part
from andon.runtime.marks import Annotated, Says


class Guest(TypedDict):
    """A guest: the name that others read."""

    name: Annotated[Line, Says("Ana López", "yes")]
    # <placed>
    hallId: Annotated[Part, Says("hall-1", "no")]
    # </placed>


class GuestErased(TypedDict):
    """`guest`: one who was erased, and when."""

    id: str
    erasedAt: str


# <placed>
class GuestPlaced(TypedDict):
    """`placement`: the hall of a guest, by their ids."""

    id: str
    hallId: str


# </placed>
