"""Bodies of dispatch's requests and responses."""

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from andon.http.fields import Time, Word
from andon.http.models import RequestModel, ResponseModel
from andon.http.openapi import Absent
from andon.http.schemas import IMPERSONAL
from andon.outbound.links import MOST_CHARACTERS
from contract import names
from contract.fields import Person
from contract.schemas import STATE

StateName = Annotated[str, AfterValidator(names.state), WithJsonSchema(STATE)]

MAX_ACKNOWLEDGED: Final = 100
"""Logs that are acknowledged at once: as many as a line has."""


class AssignmentBody(RequestModel):
    """Who deals with the log."""

    operator: Person = Field(examples=["op-17"])


class EscalationBody(RequestModel):
    """Whom the log is escalated to."""

    supervisor: Person = Field(examples=["sv-03"])


class LogBody(RequestModel):
    """A log: what a piece of equipment reported at a time."""

    equipmentId: Word = Field(examples=["press-7"], json_schema_extra=IMPERSONAL)  # noqa: N815  the contract's name
    state: StateName = Field(examples=["ERROR"])
    timestamp: Time = Field(examples=["2020-04-24T14:50:00Z"])


Logs = Annotated[list[LogBody], Field(min_length=1, max_length=MAX_ACKNOWLEDGED)]


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
    via: Literal["link"] | Absent = None


class LinkBody(RequestModel):
    """The link of a message: what stands behind its `#a=`."""

    token: str = Field(min_length=1, max_length=MOST_CHARACTERS, json_schema_extra=IMPERSONAL)


class LinkResponse(ResponseModel):
    """Who saw each log of a link first; `person`: whom the link was sent to."""

    person: str
    items: list[AcknowledgementResponse]


class AcknowledgementsResponse(ResponseModel):
    """Who acknowledged each log first, in the order of the request, and tokens for `?after=` of a view."""

    items: list[AcknowledgementResponse]
    after: list[str]


class EntryResponse(DecidedByRule):
    """An event of an episode: a report, or what was done about it; times are fixed-width UTC.

    `at` is when it was so; `timestamp` is that of the log that it is about, or, of an alert, `at` again.
    `state-reported` comes with `state` and `detail`, `operator-assigned` with `operator`, `state-escalated` with
    `supervisor`, `state-acknowledged` with who and when, and the alerts with `since` and `reason`. `help-requested` has
    the `person` who is asked, and the `chain`; `nobody-found` whom it would `tell`, and who was `asked` then.
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
    what: str | Absent = None
    chain: str | Absent = None
    urgency: str | Absent = None
    person: str | Absent = None
    tell: str | Absent = None
    asked: str | Absent = None


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
