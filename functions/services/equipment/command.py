"""HTTP -> equipment table."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from contract.parameters import EquipmentId, IfMatch, Timestamp
from patterns import clock
from patterns.expressions import Condition
from patterns.http_api import HttpApi, answer
from patterns.openapi import answers
from patterns.optimistic_lock import save
from patterns.table import ConditionFailed, Table
from services.equipment import metadata
from services.equipment.bodies import Equipment, EquipmentBody, StateBody, StateReport
from services.equipment.routes import ROUTES
from services.equipment.state import report_state, require_same, shown
from services.equipment.tables import KEYS

TABLE = Table("EQUIPMENT_TABLE", KEYS)
ABSENT = Condition("attribute_not_exists(pk)")

app = HttpApi(ROUTES)
handler = app.handler


@app.put("/equipment/<id>", responses=answers(Equipment, 201, 200, 412, 428))
def put_equipment(equipment_id: EquipmentId, body: EquipmentBody, if_match: IfMatch = None) -> Response[str]:
    """Register a piece of equipment, or change it: then If-Match names the version that is changed."""
    content = body.model_dump()
    draft = metadata.register(equipment_id, content, app.command(if_match, content))
    return app.saved(save(TABLE, draft), show=metadata.shown)


@app.put("/equipment/<id>/states/<timestamp>", responses=answers(StateReport, 201, 200, 409))
def put_state(equipment_id: EquipmentId, timestamp: Timestamp, body: StateBody) -> Response[str]:
    """Report the state of a piece of equipment at a time; the same again changes nothing."""
    report = {"equipmentId": equipment_id, "timestamp": timestamp, **body.model_dump()}
    row = report_state(report, actor=app.caller.subject, now_ms=clock.now_ms())
    try:
        TABLE.put(row, condition=ABSENT)
    except ConditionFailed as failed:
        require_same(report, failed.row)
        return answer(HTTPStatus.OK, shown(row))
    return answer(HTTPStatus.CREATED, shown(row))
