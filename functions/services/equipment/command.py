"""HTTP -> equipment table."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from contract.parameters import EquipmentId, Timestamp
from patterns import clock
from patterns.http_api import HttpApi, answer
from patterns.table import Condition, ConditionFailed, Table
from services.equipment.bodies import StateBody
from services.equipment.routes import ROUTES
from services.equipment.state import report_state, require_same, shown
from services.equipment.tables import KEYS

TABLE = Table("EQUIPMENT_TABLE", KEYS)
ABSENT = Condition("attribute_not_exists(pk)")

app = HttpApi(ROUTES)
handler = app.handler


@app.put("/equipment/<id>/states/<timestamp>")
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
