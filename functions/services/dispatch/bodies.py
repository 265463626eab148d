"""Bodies of dispatch's requests and responses."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from andon.http.models import RequestModel, ResponseModel
from andon.http.openapi import Absent
from contract.fields import Person

MAX_OPERATORS = 100


def _different(people: list[str]) -> list[str]:
    if len(set(people)) < len(people):
        raise ValueError("must name each of them once")
    return people


class AssignmentBody(RequestModel):
    """Who deals with the log."""

    operator: Person = Field(examples=["op-17"])


class EscalationBody(RequestModel):
    """Whom the log is escalated to."""

    supervisor: Person = Field(examples=["sv-03"])


class RosterBody(RequestModel):
    """Who works in a factory; abnormal logs are shared among the operators."""

    # The length before the validator, or it would be looked at after each person.
    operators: Annotated[list[Person], Field(min_length=1, max_length=MAX_OPERATORS), AfterValidator(_different)] = (
        Field(examples=[["op-17", "op-18"]], json_schema_extra={"uniqueItems": True})
    )
    supervisor: Person = Field(examples=["sv-03"])


class RosterResponse(ResponseModel):
    """A factory's roster."""

    factoryId: str  # noqa: N815  the contract's name
    operators: list[str]
    supervisor: str


class TriggerResponse(ResponseModel):
    """An event that a rule decided upon; `timestamp` is in epoch milliseconds."""

    id: str
    type: str
    timestamp: int


class DecidedByRule(ResponseModel):
    """Rule that decided, and the events that triggered it; missing if a person decided."""

    by: Literal["rule"] | Absent = None
    rule: str | Absent = None
    triggers: list[TriggerResponse] | Absent = None


class LogKey(ResponseModel):
    """A log's natural key; `timestamp` is fixed-width UTC."""

    equipmentId: str  # noqa: N815
    state: str
    timestamp: str


class AssignmentResponse(DecidedByRule, LogKey):
    """Who a log is assigned to."""

    operator: str


class EscalationResponse(DecidedByRule, LogKey):
    """Whom a log was escalated to."""

    supervisor: str


class AcknowledgementResponse(LogKey):
    """Who acknowledged a log first, a token's subject, and when (fixed-width UTC)."""

    acknowledgedBy: str  # noqa: N815
    acknowledgedAt: str  # noqa: N815


class EntryResponse(DecidedByRule):
    """An event of an episode: a report, or what was done about it; times are fixed-width UTC.

    `at` is when it was so; `timestamp` is that of the log that it is about, or, of an alert, `at` again.
    `state-reported` comes with `state` and `detail`, `operator-assigned` with `operator`, `state-escalated` with
    `supervisor`, `state-acknowledged` with who and when, and the alerts with `since` and `reason`.
    """

    type: str
    at: str
    id: str
    timestamp: str
    state: str | Absent = None
    detail: str | Absent = None
    operator: str | Absent = None
    supervisor: str | Absent = None
    acknowledgedBy: str | Absent = None  # noqa: N815
    acknowledgedAt: str | Absent = None  # noqa: N815
    since: str | Absent = None
    reason: str | Absent = None


class EpisodeResponse(ResponseModel):
    """From the first abnormal report to the next normal one, which is null as long as there is none.

    `partial`: it is longer than what a page reads; the pages beside have the rest.
    """

    startedAt: str  # noqa: N815
    endedAt: str | None  # noqa: N815
    story: list[EntryResponse]
    partial: bool | Absent = None


class EpisodesResponse(ResponseModel):
    """A page, newest first; `others` is what was done about logs of no episode on it; a missing cursor is the end."""

    items: list[EpisodeResponse]
    others: list[EntryResponse] | Absent = None
    cursor: str | Absent = None
