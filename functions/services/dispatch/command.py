"""HTTP -> dispatch table."""

from aws_lambda_powertools.event_handler import Response

from contract.parameters import EquipmentId, IfMatch, State, Timestamp
from patterns.http_api import HttpApi
from patterns.openapi import answers
from patterns.table import Table
from patterns.versioned_write import Versions, save
from services.dispatch.bodies import Assignment, AssignmentBody, Escalation, EscalationBody
from services.dispatch.responsibility import ASSIGNMENT, ESCALATION, Log, Responsibility, log_of
from services.dispatch.routes import ROUTES
from services.dispatch.tables import KEYS

TABLE = Table("DISPATCH_TABLE", KEYS)

app = HttpApi(ROUTES)
handler = app.handler


@app.put("/equipment/<id>/logs/<state>/<timestamp>/assignment", responses=answers(Assignment, 201, 200, 412, 428))
def put_assignment(
    equipment_id: EquipmentId, state: State, timestamp: Timestamp, body: AssignmentBody, if_match: IfMatch = None
) -> Response[str]:
    """Assign a log to an operator, or to another one."""
    return _save(ASSIGNMENT, log_of(equipment_id, state, timestamp), body.operator, if_match)


@app.put("/equipment/<id>/logs/<state>/<timestamp>/escalation", responses=answers(Escalation, 201, 200, 412, 428))
def put_escalation(
    equipment_id: EquipmentId, state: State, timestamp: Timestamp, body: EscalationBody, if_match: IfMatch = None
) -> Response[str]:
    """Escalate a log to a supervisor, or to another one."""
    return _save(ESCALATION, log_of(equipment_id, state, timestamp), body.supervisor, if_match)


def _save(kind: Responsibility, log: Log, person: str, if_match: int | None) -> Response[str]:
    command = app.command(if_match, {kind.person: person})
    versions = Versions(table=TABLE, key=kind.key_of(log))
    return app.saved(save(versions, kind.decide(log, person, command)), show=kind.shown)
