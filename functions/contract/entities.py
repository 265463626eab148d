"""The entities of the domain events: what services agree on. Free at import; events from elsewhere are read tolerantly.

A member that may be missing is left out, never null. Times are fixed-width UTC, but for `TriggerRef.timestamp`.
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
    """`equipment`: what a piece of equipment is, as of `version`."""

    id: str
    version: int
    name: str
    factoryId: str
    lineId: str
    location: LocationEntity
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
    """An event that a rule decided upon; `timestamp` is in epoch milliseconds."""

    id: str
    type: str
    timestamp: int


class Why(TypedDict, total=False):
    """Of what a rule decided: which rule, and upon which events."""

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
    """`escalation`: the supervisor that a log was handed up to."""

    supervisor: str


class AcknowledgementEntity(LogRef):
    """`acknowledgement`: who has seen a log first."""

    acknowledgedBy: str
    acknowledgedAt: str


class AlertEntity(Why):
    """`risk` and `silence`: what a rule says of a piece of equipment as a whole."""

    equipmentId: str
    since: str
    timestamp: str
    reason: NotRequired[str]
