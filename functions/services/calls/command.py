"""HTTP -> calls table."""

from functools import partial
from http import HTTPStatus
from typing import Any

from andon.http.http_api import HttpApi
from andon.http.limits import IN_FUNCTION
from andon.http.parameters import IfMatch
from andon.http.places import Caller
from andon.http.response import PROBLEM_JSON, Response, responses_of_write
from andon.runtime.errors import Forbidden, Invalid, NotFound
from andon.versions.optimistic_lock import Command, Saved
from andon.versions.versioned_write import save
from contract import after
from contract.calls import SOURCE
from contract.entities.calls import CallBody, CauseBody
from contract.groups import ANSWERERS, CALLERS, CALLERS_FOR_ANY
from contract.parameters import CallId, EquipmentId
from contract.stations import require_own
from services.calls import call, catalog, cause
from services.calls.api import CATALOG
from services.calls.bodies import CALL, ClosureBody, RejectionBody, StartedAt, open_call_problem
from services.calls.call import CallRow, CallVersion, OpenCallVersion
from services.calls.cause import CauseVersion, EpisodeKey
from services.calls.places import (
    OF_EPISODE,
    EquipmentPlace,
    is_own,
    place_of,
    require_at,
    require_shown,
    sees,
    since_for,
)

app = HttpApi()
handler = app.handler

CATALOG.writes(app)

OPEN_CALL: dict[int, Any] = {
    HTTPStatus.CONFLICT: {
        "description": HTTPStatus.CONFLICT.phrase,
        "content": {PROBLEM_JSON: {"model": open_call_problem}},
    }
}


@app.serves(
    "PUT /calls/{id}",
    groups=CALLERS,
    at=IN_FUNCTION,
    responses=responses_of_write(CALL, 201, 200, 404, 409) | OPEN_CALL,
)
def put_call(call_id: CallId, body: CallBody) -> Response:
    """Call for help. A repeated request gets the same call; 409 comes with the open one.

    A station calls for its own equipment only.
    """
    require_own(app.caller, CALLERS_FOR_ANY, body["equipmentId"])
    command = app.command(None, body)
    try:
        return _saved(_raise(call_id, body, command))
    except (Forbidden, Invalid, NotFound):
        # Of what was raised, also after its category has left the catalog, or its equipment the place.
        if (row := call.find_again(call_id, body, command.actor)) is None:
            raise
        require_shown(app.caller, row)
        return _saved(Saved(row, created=False))


def _raise(call_id: str, request: CallBody, command: Command) -> Saved[CallRow]:
    caller = app.caller
    require_at(caller.places, request["equipmentId"])
    place = place_of(request["equipmentId"])
    shown = partial(_to_shown, caller=caller, since=since_for(caller, request["equipmentId"]))
    return call.raise_call(call_id, request, place, catalog.read(place["factoryId"]), command, to_shown=shown)


def _to_shown(row: CallRow, *, caller: Caller, since: str) -> CallVersion | OpenCallVersion:
    return call.to_response(row) if sees(caller, row, since) else call.to_open(row)


@app.serves(
    "PUT /calls/{id}/taker",
    groups=ANSWERERS,
    at=IN_FUNCTION,
    responses=responses_of_write(CALL, 200, 404, 409, 412, 428),
)
def put_taker(call_id: CallId, if_match: IfMatch = None) -> Response:
    """Take a call, or take it over: the caller sees to it. Of several at once, one does."""
    return _saved(call.take(call_id, app.command(if_match, {}), _taken_over_at(call_id)))


@app.serves(
    "PUT /calls/{id}/closure",
    groups=ANSWERERS,
    at=IN_FUNCTION,
    responses=responses_of_write(CALL, 200, 404, 409, 412, 428),
)
def put_closure(call_id: CallId, body: ClosureBody, if_match: IfMatch = None) -> Response:
    """Close a call, with a cause of the factory's catalog where its category needs one."""
    command, here = app.command(if_match, body), _taken_over_at(call_id)
    said = body.get("cause"), body.get("note")
    return _saved(call.close(call_id, *said, catalog_of=catalog.read, command=command, here=here))


@app.serves(
    "PUT /calls/{id}/rejection",
    groups=ANSWERERS,
    at=IN_FUNCTION,
    responses=responses_of_write(CALL, 200, 404, 409, 412, 428),
)
def put_rejection(call_id: CallId, body: RejectionBody, if_match: IfMatch = None) -> Response:
    """Reject a call: nothing is done about it."""
    command, here = app.command(if_match, body), _taken_over_at(call_id)
    return _saved(call.reject(call_id, body["reason"], command, here))


@app.serves(
    "PUT /equipment/{id}/episodes/{startedAt}/cause",
    groups=ANSWERERS,
    at=OF_EPISODE,
    responses=responses_of_write(CauseVersion, 201, 200, 404, 412, 428),
)
def put_cause(equipment_id: EquipmentId, started_at: StartedAt, body: CauseBody, if_match: IfMatch = None) -> Response:
    """Set the cause of an episode, also when it is over; a change needs If-Match with the current version."""
    command, place = app.command(if_match, body), place_of(equipment_id)
    catalog.read(place["factoryId"]).require_cause(body["cause"], category=None, line_id=place["lineId"])
    episode = EpisodeKey(equipment_id, started_at)
    saved = save(cause.versions_of(episode), cause.record(episode, body, place, command))
    token = after.of_row(saved.row, cause.fact_of, source=SOURCE)
    return app.saved(saved, to_response=cause.to_response, after=token)


def _saved(saved: Saved[CallRow]) -> Response:
    token = after.of_row(saved.row, call.fact_of, source=SOURCE)
    return app.saved(saved, to_response=call.to_response, after=token)


def _taken_over_at(call_id: str) -> EquipmentPlace | None:
    """Return the place at which a call is taken over, by a caller from elsewhere; None: it stays there."""
    if app.caller.places.is_everywhere:
        return None
    row = call.versions_of(call_id).current()
    require_shown(app.caller, row)
    return None if row is None or is_own(app.caller, row) else place_of(row["equipmentId"])
