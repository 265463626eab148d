"""The entities of the domain events: what services agree on. Events from elsewhere are read tolerantly.

A member that does not apply is left out, never null. Times are fixed-width UTC, but for `TriggerRef.timestamp`.
"""

from typing import Literal, NotRequired, TypedDict


class LocationEntity(TypedDict):
    """Where equipment stands, from the company down."""

    company: str
    country: str
    region: str
    state: str
    county: str
    city: str
    neighborhood: str


class EquipmentEntity(TypedDict):
    """`equipment`: what a piece of equipment is, as of `version`.

    `validFrom`: since when it has been so, if that was before it was recorded; else it is the event's time.
    """

    id: str
    version: int
    name: str
    factoryId: str
    lineId: str
    location: LocationEntity
    validFrom: NotRequired[str]
    deleted: NotRequired[Literal[True]]


class LevelEntity(TypedDict):
    """A level of a location, and the name of the place on it."""

    level: str
    name: str


class MachineEntity(TypedDict):
    """`machine`: what a piece of equipment is, as of `version`, with its location as levels, from the outside in.

    `validFrom`: as of `equipment`.
    """

    id: str
    version: int
    name: str
    factoryId: str
    lineId: str
    levels: list[LevelEntity]
    validFrom: NotRequired[str]
    deleted: NotRequired[Literal[True]]


class StateEntity(TypedDict):
    """`state`: what a piece of equipment reported."""

    equipmentId: str
    state: str
    timestamp: str
    detail: NotRequired[str]


class AuditEntity(TypedDict):
    """`audit`: what an auditor found."""

    equipmentId: str
    part: str
    revision: int
    result: str
    auditor: str
    notes: NotRequired[str]


class TriggerRef(TypedDict):
    """An event that a rule decided on; `timestamp` is in epoch milliseconds."""

    id: str
    type: str
    timestamp: int


class Why(TypedDict, total=False):
    """What a rule's decision adds: which rule, and on which events."""

    by: Literal["rule"]
    rule: str
    triggers: list[TriggerRef]


class LogRef(TypedDict):
    """A log's natural key."""

    equipmentId: str
    state: str
    timestamp: str


class AssignmentEntity(LogRef, Why):
    """`assignment`: the operator of a log."""

    operator: str


class EscalationEntity(LogRef, Why):
    """`escalation`: the supervisor whom a log was escalated to."""

    supervisor: str


class CrewEntity(LogRef, Why):
    """`crew`: the people who deal with a log; `members` are the others beside the `lead`."""

    lead: str
    members: list[str]


class AcknowledgementEntity(LogRef):
    """`acknowledgement`: who was the first to see a log: a subject, and the name that it signs in with."""

    acknowledgedBy: str
    acknowledgedByName: NotRequired[str]
    acknowledgedAt: str


class ExpectedEntity(TypedDict):
    """What is usual for a machine: `typical`, and `atMost`, in the unit of the anomaly; from so many observations."""

    typical: float
    atMost: float
    basedOn: int


AnomalyKind = Literal["burst", "gap", "odd-state"]


class AnomalyEntity(LogRef, Why):
    """`anomaly`: the log with which a machine did what it does not do, by a version of the model.

    `burst`: too many reports of the state in the hour before. `gap`: too many seconds since the report before.
    `odd-state`: a state that the machine hardly ever reported. `seen` and `expected` are in `unit`.
    """

    kind: AnomalyKind
    unit: str
    expected: ExpectedEntity
    seen: float
    model: str


class AlertEntity(Why):
    """`risk` and `silence`: what a rule says of a piece of equipment as a whole."""

    equipmentId: str
    since: str
    timestamp: str
    reason: NotRequired[str]


class Changed(TypedDict):
    """When a version was made, and by whom, in a response; `changedAt`: fixed-width UTC."""

    changedAt: str
    changedBy: str
