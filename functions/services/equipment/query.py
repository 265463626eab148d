"""equipment table -> HTTP."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from contract.parameters import Cursor, EquipmentId, From, Limit, To
from patterns import clock
from patterns.errors import NotFound
from patterns.http_api import HttpApi, answer
from patterns.openapi import answers
from patterns.paging import DEFAULT_LIMIT
from patterns.table import Table
from patterns.ttl import is_alive
from services.equipment import metadata
from services.equipment.bodies import Equipment, StateReport, StateReports
from services.equipment.routes import ROUTES
from services.equipment.state import reports_of, shown
from services.equipment.tables import KEYS

TABLE = Table("EQUIPMENT_TABLE", KEYS)

app = HttpApi(ROUTES)
handler = app.handler


@app.get("/equipment/<id>", responses=answers(Equipment, 200, 404))
def get_equipment(equipment_id: EquipmentId) -> Response[str]:
    """Tell what a piece of equipment is now."""
    row = TABLE.get(metadata.key_of(equipment_id), consistent=True)
    if row is None:
        raise NotFound("This equipment is not registered.")
    return app.versioned(row, show=metadata.shown)


@app.get("/equipment/<id>/states/latest", responses=answers(StateReport, 200, 404))
def get_latest_state(equipment_id: EquipmentId) -> Response[str]:
    """Tell the newest report of a piece of equipment."""
    rows = TABLE.query(reports_of(equipment_id), limit=1).items
    if not rows or not is_alive(rows[0], clock.now_ms()):
        raise NotFound("No state is recorded for this equipment.")
    return answer(HTTPStatus.OK, shown(rows[0]))


@app.get("/equipment/<id>/states", responses=answers(StateReports, 200))
def get_states(
    equipment_id: EquipmentId, first: From = None, last: To = None, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Response[str]:
    """List the reports of a piece of equipment, newest first."""
    return app.page(TABLE, reports_of(equipment_id, first, last), show=shown, limit=limit, cursor=cursor)
