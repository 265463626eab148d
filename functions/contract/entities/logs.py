"""Entities of logs, and of what is decided on them."""

from typing import Literal, NotRequired, TypedDict


class TriggerRef(TypedDict):
    """An event that a rule decided on; `timestamp` is in epoch milliseconds."""

    id: str
    type: str
    timestamp: int


class Why(TypedDict, total=False):
    """The reason of a rule's decision: which rule, and on which events."""

    by: Literal["rule"]
    rule: str
    triggers: list[TriggerRef]


class LogRef(TypedDict):
    """A log's natural key."""

    equipmentId: str
    state: str
    timestamp: str


class LogEntity(LogRef, Why):
    """An entity about a log; a rule's decision says why."""


class AssignmentEntity(LogEntity):
    """`assignment`: the operator of a log."""

    operator: str


class EscalationEntity(LogEntity):
    """`escalation`: the supervisor whom a log was escalated to."""

    supervisor: str


class CrewEntity(LogEntity):
    """`crew`: the people who deal with a log; `members` are the others beside the `lead`."""

    lead: str
    members: list[str]


class AcknowledgementEntity(LogRef):
    """`acknowledgement`: who was the first to see a log, a token's subject; `via`: or whom a link was signed for."""

    acknowledgedBy: str
    acknowledgedAt: str
    via: NotRequired[Literal["link"]]
