"""HTTP -> dispatch table."""

from collections.abc import Iterable
from functools import partial
from http import HTTPStatus

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import ConditionFailed
from andon.http.http_api import HttpApi
from andon.http.limits import BY_ROWS, OfSubject
from andon.http.parameters import IfMatch, Timestamp
from andon.http.places import ELSEWHERE
from andon.http.response import Response, respond, responses, responses_of_write
from andon.http.whereabouts import stays_of
from andon.runtime import clock
from andon.runtime.errors import FieldError, Forbidden
from andon.versions.versioned_write import save
from andon.wire.in_parallel import in_parallel
from contract import after, directory, links
from contract.entities.logs import (
    AcknowledgementEntity,
    Assignment,
    AssignmentEntity,
    Escalation,
    EscalationEntity,
    LogRef,
)
from contract.groups import ASSIGNERS, ESCALATORS
from contract.log_rows import log_of
from contract.parameters import EquipmentId, State
from services.dispatch import acknowledgement
from services.dispatch.api import OF_CHAINS, OF_ROSTER
from services.dispatch.bodies import AcknowledgementsResponse, LinkBody, LinkResponse, Logs
from services.dispatch.responsibility import ASSIGNMENT, ESCALATION, Responsibility
from services.dispatch.tables import TABLE

app = HttpApi()
handler = app.handler

OF_ROSTER.writes(app)
OF_CHAINS.writes(app)

OF_LOG = OfSubject("equipment_id", time="timestamp")


@app.serves(
    "PUT /equipment/{id}/logs/{state}/{timestamp}/assignment",
    groups=ASSIGNERS,
    at=OF_LOG,
    responses=responses_of_write(AssignmentEntity, 201, 200, 412, 428),
)
def put_assignment(
    equipment_id: EquipmentId, state: State, timestamp: Timestamp, body: Assignment, if_match: IfMatch = None
) -> Response:
    """Assign a log to an operator, or to another one."""
    return _save(ASSIGNMENT, log_of(equipment_id, state, timestamp), body["operator"], if_match)


@app.serves(
    "PUT /equipment/{id}/logs/{state}/{timestamp}/escalation",
    groups=ESCALATORS,
    at=OF_LOG,
    responses=responses_of_write(EscalationEntity, 201, 200, 412, 428),
)
def put_escalation(
    equipment_id: EquipmentId, state: State, timestamp: Timestamp, body: Escalation, if_match: IfMatch = None
) -> Response:
    """Escalate a log to a supervisor, or to another one."""
    return _save(ESCALATION, log_of(equipment_id, state, timestamp), body["supervisor"], if_match)


@app.serves(
    "PUT /equipment/{id}/logs/{state}/{timestamp}/acknowledgement",
    groups=ASSIGNERS,
    at=OF_LOG,
    responses=responses_of_write(AcknowledgementEntity, 201, 200),
)
def put_acknowledgement(equipment_id: EquipmentId, state: State, timestamp: Timestamp) -> Response:
    """Acknowledge a log: it was seen. A repeated request gets the first response."""
    log = log_of(equipment_id, state, timestamp)
    row = acknowledgement.acknowledge(log, actor=app.caller.subject, now_ms=clock.now_ms())
    first = _put(row)
    status = HTTPStatus.CREATED if first == row else HTTPStatus.OK
    return respond(status, acknowledgement.to_response(first), x_after=_token_of(first))


@app.serves(
    "POST /acknowledgements",
    groups=ASSIGNERS,
    at=BY_ROWS,
    responses=responses(AcknowledgementsResponse, 200),
)
def post_acknowledgements(logs: Logs) -> Response:
    """Acknowledge many logs, as all of a line: each was seen. A repeated request gets the first response.

    If one is of equipment that is at none of the caller's places, 403 names each such, and nothing is acknowledged.
    """
    _require_at_places(logs)
    actor, now_ms = app.caller.subject, clock.now_ms()
    rows = acknowledgement.acknowledge_all(logs, actor=actor, now_ms=now_ms)
    first = in_parallel([partial(_put, row) for row in rows])
    body = {"items": [*map(acknowledgement.to_response, first)], "after": [*map(_token_of, first)]}
    return respond(HTTPStatus.OK, body)


@app.serves("POST /links/seen", is_public=True, responses=responses(LinkResponse, 200, 410))
def post_link_seen(body: LinkBody) -> Response:
    """Acknowledge the logs of a message's link, for its recipient; nobody has to sign in.

    Whoever comes second reads who was first. A link that has been changed, has expired or is for something else is 410.
    """
    now_ms = clock.now_ms()
    person, logs = links.logs_of(body["token"], now_ms=now_ms)
    rows = acknowledgement.acknowledge_all(logs, actor=person, now_ms=now_ms, via=links.VIA_LINK)
    first = in_parallel([partial(_put, row) for row in rows])
    return respond(HTTPStatus.OK, {"person": person, "items": [*map(acknowledgement.to_response, first)]})


def _save(kind: Responsibility, log: LogRef, person: str, if_match: int | None) -> Response:
    _require_known([person])
    command = app.command(if_match, {kind.person: person})
    saved = save(kind.versions_of(log), kind.decide(log, person, command))
    token = after.of_row(saved.row, kind.fact_of, source="dispatch")
    return app.saved(saved, to_response=kind.to_response, after=token)


def _require_known(people: Iterable[str]) -> None:
    directory.require_within(TABLE, app.caller, app.stay, people)


def _put(row: Item) -> Item:
    """Put an acknowledgement; return it, or the one that was there first."""
    try:
        TABLE.put(row, condition=TABLE.absent)
    except ConditionFailed as failed:
        return failed.row or row  # it may be this one, whose first response was lost on the way
    return row


def _token_of(row: Item) -> str:
    return after.of_row(row, acknowledgement.fact_of, source="dispatch")


def _require_at_places(logs: Logs) -> None:
    places = app.caller.places
    if places.is_everywhere:
        return
    stays = stays_of(sorted({one["equipmentId"] for one in logs}))
    elsewhere = [
        number for number, one in enumerate(logs) if not stays[one["equipmentId"]].is_at(places, one["timestamp"])
    ]
    if elsewhere:
        fields = tuple(FieldError(f"body.{number}.equipmentId", "is at none of your places") for number in elsewhere)
        raise Forbidden(ELSEWHERE, fields=fields)
