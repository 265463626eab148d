"""A row of board: one piece of equipment."""

from typing import Final, Literal, NotRequired, TypedDict

from andon.views.keep import keep, read_as
from contract.entities.anomalies import ExpectedEntity
from contract.entities.calls import OpenCall
from contract.entities.equipment import LocationEntity, PieceEntity
from contract.entities.planning import OpenOrder

SEEN: Final = "seen#"
"""Prefix of a state's attribute: `seen#ERROR` is the time of the newest report of ERROR."""

CALL: Final = "call#"
"""Prefix of a category's attribute: `call#material` is the `OpenCall` of it, if one is open."""


NOBODY: Final = "nobody#"
"""Prefix of a category's attribute: `nobody#material` is the `Untold` call of it for which nobody was on duty last."""


TOLD: Final = "told#"
"""Prefix of a person's attribute: `told#op-17` is the `LatestTelling` of them about the equipment."""


class LatestTelling(TypedDict):
    """A message to a person: its time and the newest log that it was about (fixed-width UTC), and the calls.

    A channel took it; whether it was read, nobody knows.
    """

    person: str
    channel: str
    at: str
    log: NotRequired[str]
    calls: list[str]


class Untold(TypedDict):
    """A call for which nobody was on duty whom somebody was to tell, and when it was raised (fixed-width UTC)."""

    id: str
    since: str


class LastAudit(TypedDict):
    """The last audit of any part; `timestamp` is fixed-width UTC."""

    part: str
    result: str
    revision: int
    timestamp: str


class Risk(TypedDict):
    """Reason why equipment is at risk, and the start of its trouble (fixed-width UTC)."""

    since: str
    reason: str


class LastAnomaly(TypedDict):
    """The newest anomaly: the seen value of a log (its state and time, fixed-width UTC), and the model's range."""

    kind: str
    state: str
    timestamp: str
    unit: str
    expected: ExpectedEntity
    seen: float
    model: str


class LastCause(TypedDict):
    """The cause of the newest episode that has one, by the beginning of the episode (fixed-width UTC)."""

    startedAt: str
    cause: str


KEPT: Final = keep(
    PieceEntity,
    Name="name",
    FactoryID="factoryId",
    LineID="lineId",
    also=("Place", "Company", "OwnedSince", "Location"),
    deleted_as="Deleted",
)
"""Attributes that a registration writes; of equipment that was deleted, none."""

open_call: Final = read_as(OpenCall)
expected: Final = read_as(ExpectedEntity)


class BoardFields(TypedDict, total=False):
    """Attributes that events write; times are fixed-width UTC, None removes an attribute.

    `AssignedTo`, `EscalatedLog` and `AcknowledgedLog` are the times of the newest logs that were assigned, escalated
    and acknowledged; `AcknowledgedBy` is a subject. Rows that are older than these have no factory and no line until
    the next event. Equipment that was deleted, or that nobody registered yet, has no `Company` and no `Location`, so
    that no index has it; as long as nobody registered it, the row has a `ttl`. `OverdueDay` is the latest day on
    which an order was not finished that was planned for it, `NobodyTold` the time of the newest log for which nobody
    was on duty whom somebody was to tell. `OwnedSince`: since when it is this company's,
    if it was another one's before.
    """

    Name: str | None
    FactoryID: str | None
    LineID: str | None
    Place: LocationEntity | None
    Company: str | None
    OwnedSince: str | None
    Location: str | None
    Deleted: Literal[True] | None
    LastAudit: LastAudit
    LastAnomaly: LastAnomaly
    Operator: str
    AssignedTo: str
    EscalatedTo: str
    EscalatedLog: str
    AcknowledgedBy: str
    AcknowledgedLog: str
    Risk: Risk
    RiskSince: str
    NobodyTold: str
    SilentSince: str | None
    DisconnectedSince: str | None
    UnderWay: list[OpenOrder] | None
    NextOrder: OpenOrder | None
    OverdueDay: str
    Cause: LastCause


class BoardRow(BoardFields):
    """A row; beside these stand newest states, calls, and tellings, see `SEEN`, `CALL`, `NOBODY` and `TOLD`.

    And the oplocks, and a ttl.
    """

    EquipmentID: str
