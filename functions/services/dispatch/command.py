"""HTTP -> dispatch table."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.errors import ConditionFailed
from andon.http.http_api import HttpApi
from andon.http.limits import OfPlace, OfSubject
from andon.http.openapi import responses, responses_of_write
from andon.http.parameters import IfMatch, Timestamp
from andon.http.response import respond
from andon.runtime import clock
from andon.versions.versioned_write import save
from contract import after
from contract.entities import LogRef
from contract.groups import ASSIGNERS, ESCALATORS, ROSTER_KEEPERS
from contract.log_rows import log_of
from contract.parameters import EquipmentId, FactoryId, State
from services.dispatch import acknowledgement, roster
from services.dispatch.bodies import (
    AcknowledgementResponse,
    AssignmentBody,
    AssignmentResponse,
    EscalationBody,
    EscalationResponse,
    RosterBody,
    RosterResponse,
)
from services.dispatch.responsibility import ASSIGNMENT, ESCALATION, Responsibility
from services.dispatch.tables import TABLE

app = HttpApi()
handler = app.handler


@app.serves(
    "PUT /equipment/{id}/logs/{state}/{timestamp}/assignment",
    groups=ASSIGNERS,
    at=OfSubject("equipment_id"),
    responses=responses_of_write(AssignmentResponse, 201, 200, 412, 428),
)
def put_assignment(
    equipment_id: EquipmentId, state: State, timestamp: Timestamp, body: AssignmentBody, if_match: IfMatch = None
) -> Response[str]:
    """Assign a log to an operator, or to another one."""
    return _save(ASSIGNMENT, log_of(equipment_id, state, timestamp), body.operator, if_match)


@app.serves(
    "PUT /equipment/{id}/logs/{state}/{timestamp}/escalation",
    groups=ESCALATORS,
    at=OfSubject("equipment_id"),
    responses=responses_of_write(EscalationResponse, 201, 200, 412, 428),
)
def put_escalation(
    equipment_id: EquipmentId, state: State, timestamp: Timestamp, body: EscalationBody, if_match: IfMatch = None
) -> Response[str]:
    """Escalate a log to a supervisor, or to another one."""
    return _save(ESCALATION, log_of(equipment_id, state, timestamp), body.supervisor, if_match)


@app.serves(
    "PUT /equipment/{id}/logs/{state}/{timestamp}/acknowledgement",
    groups=ASSIGNERS,
    at=OfSubject("equipment_id"),
    responses=responses_of_write(AcknowledgementResponse, 201, 200),
)
def put_acknowledgement(equipment_id: EquipmentId, state: State, timestamp: Timestamp) -> Response[str]:
    """Acknowledge a log: it was seen. Whoever does it again gets the first response."""
    log = log_of(equipment_id, state, timestamp)
    row = acknowledgement.acknowledge(log, actor=app.caller.subject, now_ms=clock.now_ms())
    try:
        TABLE.put(row, condition=TABLE.absent)
    except ConditionFailed as failed:
        if failed.row != row:  # else it is this one, whose first response was lost on the way
            return _acknowledged(HTTPStatus.OK, failed.row or row)
    return _acknowledged(HTTPStatus.CREATED, row)


@app.serves(
    "PUT /factories/{factoryId}/roster",
    groups=ROSTER_KEEPERS,
    at=OfPlace("factory_id"),
    responses=responses(RosterResponse, 201, 200, 412, 428),
)
def put_roster(factory_id: FactoryId, body: RosterBody, if_match: IfMatch = None) -> Response[str]:
    """Set who works in a factory; a change needs If-Match with the current version."""
    command = app.command(if_match, body.model_dump())
    draft = roster.write(factory_id, body.operators, body.supervisor, command)
    return app.saved(save(roster.versions_of(factory_id), draft), to_response=roster.to_response)


def _save(kind: Responsibility, log: LogRef, person: str, if_match: int | None) -> Response[str]:
    command = app.command(if_match, {kind.person: person})
    saved = save(kind.versions_of(log), kind.decide(log, person, command))
    token = after.of_row(saved.row, kind.fact_of, source="dispatch")
    return app.saved(saved, to_response=kind.to_response, after=token)


def _acknowledged(status: HTTPStatus, row: Item) -> Response[str]:
    token = after.of_row(row, acknowledgement.fact_of, source="dispatch")
    return respond(status, acknowledgement.to_response(row), x_after=token)
