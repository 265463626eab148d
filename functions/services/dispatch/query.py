"""dispatch table -> HTTP."""

from aws_lambda_powertools.event_handler import Response

from contract.parameters import EquipmentId, IfNoneMatch, State, Timestamp
from patterns import clock
from patterns.errors import NotFound
from patterns.http_api import HttpApi
from patterns.openapi import answers
from patterns.table import Table
from patterns.ttl import is_alive
from services.dispatch.bodies import Assignment, Escalation
from services.dispatch.responsibility import ASSIGNMENT, ESCALATION, Log, Responsibility, log_of
from services.dispatch.routes import ROUTES
from services.dispatch.tables import KEYS

TABLE = Table("DISPATCH_TABLE", KEYS)

app = HttpApi(ROUTES)
handler = app.handler


@app.get("/equipment/<id>/logs/<state>/<timestamp>/assignment", responses=answers(Assignment, 200, 304, 404))
def get_assignment(
    equipment_id: EquipmentId, state: State, timestamp: Timestamp, if_none_match: IfNoneMatch = None
) -> Response[str]:
    """Tell which operator sees to a log."""
    return _get(ASSIGNMENT, log_of(equipment_id, state, timestamp), if_none_match)


@app.get("/equipment/<id>/logs/<state>/<timestamp>/escalation", responses=answers(Escalation, 200, 304, 404))
def get_escalation(
    equipment_id: EquipmentId, state: State, timestamp: Timestamp, if_none_match: IfNoneMatch = None
) -> Response[str]:
    """Tell which supervisor a log was escalated to."""
    return _get(ESCALATION, log_of(equipment_id, state, timestamp), if_none_match)


def _get(kind: Responsibility, log: Log, if_none_match: str | None) -> Response[str]:
    row = TABLE.get(kind.key_of(log), consistent=True)
    if row is None or not is_alive(row, clock.now_ms()):
        raise NotFound(f"This log has no {kind.discriminator}.")
    return app.found(row, show=kind.shown, if_none_match=if_none_match)
