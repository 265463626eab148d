"""Entities of logs, and of decisions on them."""

from typing import Final, Literal, TypedDict

from andon.http.said import UNIQUE, Time, Word
from andon.runtime.marks import Annotated, Bounds, Named, NotRequired, Says, Takes, checked
from contract import names
from contract.people import Person

MAX_MEMBERS: Final = 20


class TriggerRef(TypedDict):
    """An event that a rule decided on; `timestamp` is in epoch milliseconds."""

    id: str
    type: str
    timestamp: int


class Why(TypedDict, total=False):
    """The reason of a rule's decision: which rule, and on which events."""

    by: Literal["rule"]
    rule: str
    triggers: list[Annotated[TriggerRef, Named("TriggerResponse", is_said=False)]]


class LogRef(TypedDict):
    """A log's natural key: a report of a piece of equipment at a time."""

    equipmentId: Annotated[Word, Says("press-7", "no")]
    state: Annotated[str, Takes(names.state, names.schema(names.STATE_PATTERN)), Says("ERROR")]
    timestamp: Annotated[Time, Says("2020-04-24T14:50:00Z")]


class LogEntity(LogRef, Why):
    """An entity about a log; a rule's decision says why."""


class Assignment(TypedDict):
    """The operator of the log."""

    operator: Annotated[Person, Says("op-17")]


class AssignmentEntity(LogEntity, Assignment):
    """`assignment`: the operator of a log."""


class Escalation(TypedDict):
    """Whom the log is escalated to."""

    supervisor: Annotated[Person, Says("sv-03")]


class EscalationEntity(LogEntity, Escalation):
    """`escalation`: the supervisor whom a log was escalated to."""


def _names_nobody_twice(said: "Crew") -> None:
    people = [said["lead"], *said["members"]]
    if len({*people}) < len(people):
        raise ValueError("must name each person once")


@checked(_names_nobody_twice)
class Crew(TypedDict):
    """The people of a log: one leads, and the others are members; nobody is named twice."""

    lead: Annotated[Person, Says("op-17")]
    members: Annotated[list[Person], Bounds(most=MAX_MEMBERS), Takes(list, UNIQUE), Says(["op-18"])]


class CrewEntity(LogEntity, Crew):
    """`crew`: the people of a log; `members` are the others beside the `lead`."""


class AcknowledgementEntity(LogRef):
    """`acknowledgement`: the first person to see a log, by a token's subject; `via`: or by a signed link."""

    acknowledgedBy: str
    acknowledgedAt: str
    via: NotRequired[Literal["link"]]
