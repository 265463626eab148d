"""Books as requests, rows and events say them: a member that is declared here is in all of them."""

from typing import TypedDict

from andon.http.said import Line, Time
from andon.runtime.marks import Annotated, Says


class Book(TypedDict):
    """A statement about one."""

    place: Annotated[Line, Says("place-1", "no")]
    due: Annotated[Time, Says("2026-01-31T00:00:00.000Z", "no")]


class BookEntity(Book):
    """`book`: a version of what is said; `shelfId`: of the shelf that it belongs to."""

    shelfId: str
    id: str
    version: int
