"""Bodies of dispatch2's requests and responses."""

from typing import Literal, Self

from pydantic import Field, model_validator

from andon.http.models import RequestModel, ResponseModel
from andon.http.openapi import Absent
from contract.fields import Person

MAX_MEMBERS = 20


class CrewBody(RequestModel):
    """The people who deal with a log: one leads, and the others are members; nobody is named twice."""

    lead: Person = Field(examples=["op-17"])
    members: list[Person] = Field(max_length=MAX_MEMBERS, examples=[["op-18"]], json_schema_extra={"uniqueItems": True})

    @model_validator(mode="after")
    def _name_nobody_twice(self) -> Self:
        people = [self.lead, *self.members]
        if len(set(people)) < len(people):
            raise ValueError("must name each person once")
        return self


class CrewAssignmentBody(RequestModel):
    """Which crew deals with the log."""

    crew: CrewBody


class DecidingEventResponse(ResponseModel):
    """An event that a rule decided upon; `timestamp` is in epoch milliseconds."""

    id: str
    type: str
    timestamp: int


class CrewResponse(ResponseModel):
    """Who leads a crew, and its other members."""

    lead: str
    members: list[str]


class CrewAssignmentResponse(ResponseModel):
    """Which crew a log is assigned to; `by`, `rule` and `triggers` are missing if a person assigned it."""

    equipmentId: str  # noqa: N815  the contract's name
    state: str
    timestamp: str
    crew: CrewResponse
    by: Literal["rule"] | Absent = None
    rule: str | Absent = None
    triggers: list[DecidingEventResponse] | Absent = None
