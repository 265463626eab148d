"""Readings as requests, rows and events say them: a member that is declared here is in all of them."""

from typing import TypedDict

from andon.runtime.marks import Annotated, Bounds, Says

MOST: float = 1_000_000_000.0


class Reading(TypedDict):
    """A statement about one time."""

    value: Annotated[float, Bounds(-MOST, MOST), Says(17.5)]


class ReadingEntity(Reading):
    """`reading`: what is said of one time; `timestamp`: fixed-width UTC."""

    deviceId: str
    timestamp: str
