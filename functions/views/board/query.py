"""board view -> HTTP."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from contract.parameters import Company, Cursor, EquipmentId, Limit, LocationFilter
from patterns.http.http_api import HttpApi
from patterns.http.openapi import responses
from patterns.http.page import DEFAULT_LIMIT
from patterns.http.response import respond
from patterns.runtime import clock
from views.board.access_patterns import equipment_in
from views.board.responses import BoardResponse, StandingResponse
from views.board.routes import ROUTES
from views.board.standing import require_equipment, to_response
from views.board.view import KEYS, TABLE

app = HttpApi(ROUTES)
handler = app.handler


@app.get("/board/<company>", responses=responses(BoardResponse, 200))
def get_board(
    company: Company, location: LocationFilter = None, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Response[str]:
    """List how the equipment of a company, or of a place in it, stands, by location."""
    return app.page(TABLE, equipment_in(company, location), to_response=to_response, limit=limit, cursor=cursor)


@app.get("/equipment/<id>/board", responses=responses(StandingResponse, 200, 404))
def get_standing(equipment_id: EquipmentId) -> Response[str]:
    """Return how a piece of equipment stands."""
    row = require_equipment(TABLE.get(KEYS.of(equipment_id)), now_ms=clock.now_ms())
    return respond(HTTPStatus.OK, to_response(row))
