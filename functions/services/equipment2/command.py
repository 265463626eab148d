"""HTTP -> equipment2 table."""

from http import HTTPStatus

from andon.http.http_api import HttpApi
from andon.http.limits import IN_FUNCTION
from andon.http.openapi import responses_of_write
from andon.http.parameters import IfMatch
from andon.http.response import Response, respond
from andon.versions.optimistic_lock import Saved
from contract import after
from contract.groups import EQUIPMENT_WRITERS
from contract.parameters import EquipmentId
from services.equipment2 import machine
from services.equipment2.bodies import Machine, MachineBody, MachineRollbackBody
from services.equipment2.machine import MACHINE, MachineRow
from services.equipment2.places import guard_of

app = HttpApi()
handler = app.handler


@app.serves(
    "PUT /v2/equipment/{id}",
    groups=EQUIPMENT_WRITERS,
    at=IN_FUNCTION,
    responses=responses_of_write(Machine, 201, 200, 409, 412, 428),
)
def put_machine(equipment_id: EquipmentId, body: MachineBody, if_match: IfMatch = None) -> Response:
    """Register a piece of equipment, or change it; If-Match names the version to change."""
    said = body.model_dump(exclude_none=True)
    return _saved(machine.register(equipment_id, said, app.command(if_match, said), guard_of(app.caller.places)))


@app.serves(
    "DELETE /v2/equipment/{id}",
    groups=EQUIPMENT_WRITERS,
    at=IN_FUNCTION,
    responses=responses_of_write(None, 204, 404, 409, 412, 428),
)
def delete_machine(equipment_id: EquipmentId, if_match: IfMatch = None) -> Response:
    """Delete a piece of equipment; its history stays, and a PUT brings it back."""
    saved = MACHINE.delete(equipment_id, app.command(if_match, {}), guard_of(app.caller.places))
    return respond(HTTPStatus.NO_CONTENT, x_after=after.of_row(saved.row, machine.machine_changed, source="equipment2"))


@app.serves(
    "POST /v2/equipment/{id}/rollback",
    groups=EQUIPMENT_WRITERS,
    at=IN_FUNCTION,
    responses=responses_of_write(Machine, 200, 404, 409, 412, 428),
)
def roll_back_machine(equipment_id: EquipmentId, body: MachineRollbackBody, if_match: IfMatch = None) -> Response:
    """Make an earlier version current again, as a new version."""
    command, guard = app.command(if_match, body.model_dump()), guard_of(app.caller.places)
    return _saved(MACHINE.roll_back(equipment_id, body.toVersion, command, guard))


def _saved(saved: Saved[MachineRow]) -> Response:
    token = after.of_row(saved.row, machine.machine_changed, source="equipment2")
    return app.saved(saved, to_response=MACHINE.to_response, after=token)
