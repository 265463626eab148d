"""Each estimate as requests, rows and events say it: a member that is declared here is in all of them."""

from typing import TypedDict

from andon.runtime.marks import Annotated, Bounds, Says

MOST: float = 1_000_000_000.0


class Estimate(TypedDict):
    """A statement about one time."""

    value: Annotated[float, Bounds(-MOST, MOST), Says(17.5)]


class EstimateEntity(Estimate):
    """`estimate`: a statement about one time; `about`: the id of the parcel; `timestamp`: fixed-width UTC."""

    about: str
    timestamp: str
