"""archive -> HTTP."""

from http import HTTPStatus
from typing import cast

from aws_lambda_powertools.event_handler import Response

from andon.http.http_api import HttpApi
from andon.http.openapi import responses
from andon.http.page import DEFAULT_LIMIT, decode_cursor
from andon.http.parameters import Beginning, Cursor, End, Limit
from andon.http.response import respond
from andon.stores.archive import jobs, rehydration
from andon.stores.archive.pages import Period, Position, read_events
from andon.stores.archive.responses import Accept, ArchivedEventsResponse, JobId, RehydrationResponse
from andon.stores.archive.store import EQUIPMENT, OPERATORS, ActorKind
from andon.stores.archive.to_response import page_response
from contract.groups import AUDITORS
from contract.parameters import EquipmentId, Operator

app = HttpApi()
handler = app.handler


@app.serves("GET /archive/equipment/{id}", groups=AUDITORS, responses=responses(ArchivedEventsResponse, 200))
def get_events_of_equipment(
    equipment_id: EquipmentId,
    first: Beginning,
    last: End,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    accept: Accept = None,
) -> Response[str]:
    """Return all that happened to a piece of equipment between two times, whatever expired; oldest first.

    The times are those at which the bus took the events. The archive is up to an hour behind.
    """
    return _events(EQUIPMENT, equipment_id, Period.of(first, last), limit, cursor, accept)


@app.serves("GET /archive/operators/{operator}", groups=AUDITORS, responses=responses(ArchivedEventsResponse, 200))
def get_events_of_operator(
    operator: Operator,
    first: Beginning,
    last: End,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    accept: Accept = None,
) -> Response[str]:
    """Return all that was about an operator, a supervisor or a member of a crew between two times; oldest first.

    The times are those at which the bus took the events. The archive is up to an hour behind.
    """
    return _events(OPERATORS, operator, Period.of(first, last), limit, cursor, accept)


@app.serves(
    "GET /archive/equipment/{id}/rehydrations/{job}",
    groups=AUDITORS,
    responses=responses(RehydrationResponse, 200, 404),
)
def get_rehydration(equipment_id: EquipmentId, job_id: JobId) -> Response[str]:
    """Return how far a rehydration is."""
    job = rehydration.require_job(jobs.find(job_id), equipment_id)
    return respond(HTTPStatus.OK, rehydration.to_response(job, jobs.done_of(job)))


def _events(
    kind: ActorKind, actor: str, period: Period, limit: int, cursor: str | None, accept: str | None
) -> Response[str]:
    page = read_events(kind, actor, period, limit=limit, start=_position(cursor))
    return page_response(page, scope=app.scope, limit=limit, accept=accept)


def _position(cursor: str | None) -> Position | None:
    if cursor is None:
        return None
    return cast("Position", decode_cursor(cursor, names=frozenset(Position.__annotations__), scope=app.scope))
