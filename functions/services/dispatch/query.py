"""dispatch table -> HTTP."""

from collections.abc import Mapping
from http import HTTPStatus

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import is_alive
from andon.http.http_api import HttpApi
from andon.http.limits import OfSubject
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import Cursor, IfNoneMatch, Limit, Timestamp
from andon.http.response import Response, respond, responses
from andon.runtime import clock
from andon.runtime.errors import NotFound
from contract.entities.logs import AcknowledgementEntity, AssignmentEntity, EscalationEntity, LogRef
from contract.groups import READERS
from contract.log_rows import log_of
from contract.parameters import EquipmentId, State
from services.dispatch import acknowledgement
from services.dispatch.api import OF_CHAINS, OF_ROSTER
from services.dispatch.episode_pages import read_episodes
from services.dispatch.responsibility import ASSIGNMENT, ESCALATION, Responsibility
from services.dispatch.story import Episodes
from services.dispatch.tables import TABLE

app = HttpApi()
handler = app.handler

OF_ROSTER.reads(app)
OF_CHAINS.reads(app)

OF_LOG = OfSubject("equipment_id", time="timestamp")


@app.serves(
    "GET /equipment/{id}/logs/{state}/{timestamp}/assignment",
    groups=READERS,
    at=OF_LOG,
    responses=responses(AssignmentEntity, 200, 304, 404),
)
def get_assignment(
    equipment_id: EquipmentId, state: State, timestamp: Timestamp, if_none_match: IfNoneMatch = None
) -> Response:
    """Return the operator of a log."""
    return _get(ASSIGNMENT, log_of(equipment_id, state, timestamp), if_none_match)


@app.serves(
    "GET /equipment/{id}/logs/{state}/{timestamp}/escalation",
    groups=READERS,
    at=OF_LOG,
    responses=responses(EscalationEntity, 200, 304, 404),
)
def get_escalation(
    equipment_id: EquipmentId, state: State, timestamp: Timestamp, if_none_match: IfNoneMatch = None
) -> Response:
    """Return the supervisor that a log was escalated to."""
    return _get(ESCALATION, log_of(equipment_id, state, timestamp), if_none_match)


@app.serves(
    "GET /equipment/{id}/logs/{state}/{timestamp}/acknowledgement",
    groups=READERS,
    at=OF_LOG,
    responses=responses(AcknowledgementEntity, 200, 404),
)
def get_acknowledgement(equipment_id: EquipmentId, state: State, timestamp: Timestamp) -> Response:
    """Return the first acknowledgement of a log."""
    row = _require_alive(
        acknowledgement.key_of(log_of(equipment_id, state, timestamp)), "This log is not acknowledged."
    )
    return respond(HTTPStatus.OK, acknowledgement.to_response(row))


@app.serves(
    "GET /equipment/{id}/episodes",
    groups=READERS,
    at=OfSubject("equipment_id"),
    responses=responses(Episodes, 200),
)
def get_episodes(equipment_id: EquipmentId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """Return episodes, from first abnormal reports to normal ones, newest first: their acts, people and reasons."""
    page = read_episodes(
        TABLE,
        equipment_id,
        scope=app.scope,
        limit=limit,
        cursor=cursor,
        now_ms=clock.now_ms(),
        since=app.stay.since,
    )
    return respond(HTTPStatus.OK, page)


def _get(kind: Responsibility, log: LogRef, if_none_match: str | None) -> Response:
    row = _require_alive(kind.key_of(log), f"This log has no {kind.discriminator}.")
    return app.found(row, to_response=kind.to_response, if_none_match=if_none_match)


def _require_alive(key: Mapping[str, str | int], otherwise: str) -> Item:
    row = TABLE.get(key, consistent=True)
    if row is None or not is_alive(row, clock.now_ms()):
        raise NotFound(otherwise)
    return row
