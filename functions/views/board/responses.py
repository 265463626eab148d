"""Responses of board's routes, for the OpenAPI document."""

from patterns.http.models import ResponseModel
from patterns.http.openapi import Absent


class PlaceResponse(ResponseModel):
    """Where equipment stands, from the company down."""

    company: str
    country: str
    region: str
    state: str
    county: str
    city: str
    neighborhood: str


class LastAuditResponse(ResponseModel):
    """The last audit of any part; `timestamp` is fixed-width UTC."""

    part: str
    result: str
    revision: int
    timestamp: str


class RiskResponse(ResponseModel):
    """Why equipment is at risk; `since` is the first report of its trouble, fixed-width UTC."""

    since: str
    reason: str


class ExpectedResponse(ResponseModel):
    """What is usual for the machine: `typical`, and `atMost`, from so many observations."""

    typical: float
    atMost: float  # noqa: N815  the contract's name
    basedOn: int  # noqa: N815


class LastAnomalyResponse(ResponseModel):
    """What was unusual with a log: `seen`, where the model of a version `expected` something else, both in `unit`."""

    kind: str
    state: str
    timestamp: str
    unit: str
    expected: ExpectedResponse
    seen: float
    model: str


class StandingResponse(ResponseModel):
    """How a piece of equipment stands; null is unknown yet, a missing member does not apply; times are fixed-width UTC.

    `stateSince` is the newest report of another state. While the state is not `NORMAL`, `operator`, `escalatedTo` and
    `acknowledgedBy` are the people who deal with it; `atRisk`, if the trouble comes back often or gets worse.
    `silentSince` is the newest report of equipment that has not reported for too long. `lastAnomaly` is about the
    newest log that was unlike the machine, however long ago.
    """

    equipmentId: str  # noqa: N815  the contract's name
    name: str | None
    location: PlaceResponse | None
    state: str | None
    stateSince: str | None  # noqa: N815
    operator: str | Absent = None
    escalatedTo: str | Absent = None  # noqa: N815
    acknowledgedBy: str | Absent = None  # noqa: N815
    atRisk: RiskResponse | Absent = None  # noqa: N815
    silentSince: str | Absent = None  # noqa: N815
    lastAudit: LastAuditResponse | Absent = None  # noqa: N815
    lastAnomaly: LastAnomalyResponse | Absent = None  # noqa: N815


class BoardResponse(ResponseModel):
    """A page of the board, by location; a missing cursor is the end."""

    items: list[StandingResponse]
    cursor: str | Absent = None
