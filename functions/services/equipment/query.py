"""equipment table -> HTTP."""

from http import HTTPStatus

from andon.http.http_api import About, HttpApi
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import Cursor, From, Limit, To
from andon.http.response import Response, respond, responses
from andon.runtime import clock
from contract.groups import READERS
from contract.parameters import EquipmentId
from services.equipment import state
from services.equipment.api import API, OF_AUDITS
from services.equipment.bodies import STATE_REPORT, STATE_REPORTS
from services.equipment.tables import TABLE

app = HttpApi()
handler = app.handler

API.reads(app)
OF_AUDITS.reads_all(app, "/equipment/{id}/audits")
OF_AUDITS.reads(app)


@app.serves("GET /equipment/{id}/states/latest", groups=READERS, at=API.at, responses=responses(STATE_REPORT, 200, 404))
def get_latest_state(equipment_id: EquipmentId) -> Response:
    """Return the newest report of a piece of equipment."""
    rows = TABLE.query(state.reports_of(equipment_id), limit=1).items
    newest = state.require_alive(rows, now_ms=clock.now_ms())
    app.require_own(newest, state.time_of, otherwise=state.MISSING)
    return respond(HTTPStatus.OK, state.to_response(newest))


@app.serves("GET /equipment/{id}/states", groups=READERS, at=API.at, responses=responses(STATE_REPORTS, 200))
def get_states(
    equipment_id: EquipmentId, first: From = None, last: To = None, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Response:
    """List the reports of a piece of equipment, newest first."""
    query = state.reports_of(equipment_id, first, last)
    return app.page(TABLE, query, to_response=state.to_response, limit=limit, cursor=cursor, about=About(state.time_of))
