"""What board answers."""

from pydantic import BaseModel

from patterns.http.openapi import Absent


class Place(BaseModel):
    """Where equipment stands, from the company down."""

    company: str
    country: str
    region: str
    state: str
    county: str
    city: str
    neighborhood: str


class LastAudit(BaseModel):
    """The last audit of any part; `timestamp` is fixed-width UTC."""

    part: str
    result: str
    revision: int
    timestamp: str


class Risk(BaseModel):
    """Why equipment is at risk; `since` is the first report of its trouble, fixed-width UTC."""

    since: str
    reason: str


class Standing(BaseModel):
    """How a piece of equipment stands; null is not known yet, what is not there is not so; times are fixed-width UTC.

    `stateSince` is the newest report of another state. While the state is not `NORMAL`, `operator`, `escalatedTo` and
    `acknowledgedBy` tell who sees to it, and `atRisk` that it keeps coming or gets worse. `silentSince` is the newest
    report of equipment that has not reported for too long.
    """

    equipmentId: str  # noqa: N815  the contract's name
    name: str | None
    location: Place | None
    state: str | None
    stateSince: str | None  # noqa: N815
    operator: str | Absent = None
    escalatedTo: str | Absent = None  # noqa: N815
    acknowledgedBy: str | Absent = None  # noqa: N815
    atRisk: Risk | Absent = None  # noqa: N815
    silentSince: str | Absent = None  # noqa: N815
    lastAudit: LastAudit | Absent = None  # noqa: N815


class Board(BaseModel):
    """A page of the board, by location; a missing cursor is the end."""

    items: list[Standing]
    cursor: str | Absent = None
