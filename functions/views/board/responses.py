"""Responses of board's routes, for the OpenAPI document."""

from andon.http.models import ResponseModel
from andon.http.openapi import Absent
from contract.entities.calls import CallStatus


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


class OrderResponse(ResponseModel):
    """A maintenance order that is not finished; `date` and `kind` are in its id, days are UTC."""

    date: str
    kind: str
    plannedFor: str  # noqa: N815
    startedAt: str | Absent = None  # noqa: N815


class OpenCallResponse(ResponseModel):
    """A call that has not ended; `taker` is the subject of whoever took it, `version` is for If-Match."""

    id: str
    version: int
    category: str
    priority: int
    status: CallStatus
    raisedAt: str  # noqa: N815
    taker: str | Absent = None


class LastCauseResponse(ResponseModel):
    """The cause of an episode, by the factory's catalog."""

    startedAt: str  # noqa: N815
    cause: str


class LastToldResponse(ResponseModel):
    """Who was told last of what is going on, by which channel; `at` is fixed-width UTC."""

    person: str
    channel: str
    at: str


class StandingResponse(ResponseModel):
    """How a piece of equipment stands; null is unknown yet, a missing member does not apply; times are fixed-width UTC.

    The state began after `stateSince`, the newest report of any other state (null: there was none), and at the latest
    with its own first report. Of that state only the newest report is kept, `stateTimestamp`: the time of the current
    log, by which it is assigned, escalated and acknowledged. `version` grows with every event about the equipment: of
    two responses the one with the greater is newer.

    While the state is not `NORMAL`, `operator`, `escalatedTo` and `acknowledgedBy` are the ids of the people who deal
    with it; `atRisk`, if the trouble comes back often or gets worse. `silentSince` is the newest report of equipment
    that has not reported for too long; `disconnectedSince` is when the broker lost its connection, unless it has
    reported since. `nobodyTold` is since when it needs help that nobody on duty was told of, until somebody has seen
    it.
    `lastTold` is the last message about its trouble, or about a call that is open.
    `lastAnomaly` is about the newest log that was unlike the machine, however long ago. While maintenance is `underWay`
    it is neither silent, disconnected nor at risk; `overdue` is the first order that was not finished on its day.
    `calls` are open, by priority; `lastCause` is that of the newest episode that has one.
    """

    equipmentId: str  # noqa: N815  the contract's name
    version: int
    name: str | None
    factoryId: str | None  # noqa: N815
    lineId: str | None  # noqa: N815
    location: PlaceResponse | None
    state: str | None
    stateSince: str | None  # noqa: N815
    stateTimestamp: str | None  # noqa: N815
    operator: str | Absent = None
    escalatedTo: str | Absent = None  # noqa: N815
    acknowledgedBy: str | Absent = None  # noqa: N815
    atRisk: RiskResponse | Absent = None  # noqa: N815
    silentSince: str | Absent = None  # noqa: N815
    disconnectedSince: str | Absent = None  # noqa: N815
    nobodyTold: str | Absent = None  # noqa: N815
    lastTold: LastToldResponse | Absent = None  # noqa: N815
    underWay: list[OrderResponse] | Absent = None  # noqa: N815
    nextOrder: OrderResponse | Absent = None  # noqa: N815
    overdue: OrderResponse | Absent = None
    calls: list[OpenCallResponse] | Absent = None
    lastCause: LastCauseResponse | Absent = None  # noqa: N815
    lastAudit: LastAuditResponse | Absent = None  # noqa: N815
    lastAnomaly: LastAnomalyResponse | Absent = None  # noqa: N815


class BoardResponse(ResponseModel):
    """A page of the board, by location; a missing cursor is the end."""

    items: list[StandingResponse]
    cursor: str | Absent = None


class ChangesResponse(ResponseModel):
    """How to subscribe to changes: connect to `url` by MQTT 3.1.1 as `clientId`, subscribe to exactly `topic`.

    A message is an item of the list, to replace one with a version that is not greater; or
    `{"equipmentId", "version", "gone": true}`, if it left the list. Repeated reports of `NORMAL` are not pushed. What
    was missed is not sent again: read the list after subscribing, and from time to time. `url` is for one connection.
    """

    url: str
    topic: str
    clientId: str  # noqa: N815
