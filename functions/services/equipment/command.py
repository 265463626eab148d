"""HTTP -> equipment table."""

import os
from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from contract.parameters import EquipmentId, IfMatch, Part, Timestamp
from patterns.dynamodb.errors import ConditionFailed
from patterns.events.publish import try_publish
from patterns.http.http_api import HttpApi
from patterns.http.openapi import responses
from patterns.http.response import respond
from patterns.runtime import clock
from patterns.versions.optimistic_lock import Saved
from patterns.versions.versioned_write import current, save
from services.equipment import audit, metadata, state, stream_first
from services.equipment.bodies import (
    Accepted,
    Audit,
    AuditBody,
    Equipment,
    EquipmentBody,
    Reports,
    RollbackBody,
    StateBody,
    StateReport,
)
from services.equipment.routes import ROUTES
from services.equipment.stores import HISTORY_TABLE, TABLE, audits_of, versions_of

app = HttpApi(ROUTES)
handler = app.handler


@app.put("/equipment/<id>", responses=responses(Equipment, 201, 200, 412, 428))
def put_equipment(equipment_id: EquipmentId, body: EquipmentBody, if_match: IfMatch = None) -> Response[str]:
    """Register a piece of equipment, or change it: then If-Match names the version that is changed."""
    content = body.model_dump()
    draft = metadata.register(equipment_id, content, app.command(if_match, content))
    return app.saved(save(versions_of(equipment_id), draft), to_response=metadata.to_response)


@app.delete("/equipment/<id>", responses=responses(None, 204, 404, 412, 428))
def delete_equipment(equipment_id: EquipmentId, if_match: IfMatch = None) -> Response[str]:
    """Delete a piece of equipment; its history stays, and a PUT brings it back."""
    command, versions = app.command(if_match, {}), versions_of(equipment_id)
    row = current(versions, command)
    if not isinstance(row, Saved):
        save(versions, metadata.retire(row, command))
    return respond(HTTPStatus.NO_CONTENT)


@app.post("/equipment/<id>/rollback", responses=responses(Equipment, 200, 404, 409, 412, 428))
def post_rollback(equipment_id: EquipmentId, body: RollbackBody, if_match: IfMatch = None) -> Response[str]:
    """Make an earlier version current again, as a new version."""
    command, versions = app.command(if_match, body.model_dump()), versions_of(equipment_id)
    row = current(versions, command)
    if isinstance(row, Saved):
        return app.saved(row, to_response=metadata.to_response)
    revision = HISTORY_TABLE.get(metadata.revision_key(equipment_id, body.toVersion), consistent=True)
    return app.saved(save(versions, metadata.roll_back(revision, command)), to_response=metadata.to_response)


@app.put("/equipment/<id>/audits/<part>", responses=responses(Audit, 201, 200, 404, 412, 428))
def put_audit(equipment_id: EquipmentId, part: Part, body: AuditBody, if_match: IfMatch = None) -> Response[str]:
    """Record an audit of a part, `_` for the whole: the next revision."""
    content = body.model_dump()
    draft = audit.record({"equipmentId": equipment_id, "part": part, **content}, app.command(if_match, content))
    return app.saved(save(audits_of(equipment_id, part), draft), to_response=audit.to_response)


@app.post("/states", responses=responses(Accepted, 202, 503))
def post_states(reports: Reports) -> Response[str]:
    """Report many states, fire and forget: they are published, and not kept under `/states`."""
    said = [report.model_dump() for report in reports]
    tags = {
        "stage": os.environ["STAGE"],
        "source": "equipment",
        "functionname": app.lambda_context.function_name,
        "pipeline": "equipment.command",
    }
    events = stream_first.events_of(said, tags=tags, now_ms=clock.now_ms())
    stream_first.require_all_published(try_publish(events, source="equipment"))
    return respond(HTTPStatus.ACCEPTED, {"ids": [event.id for event in events]})


@app.put("/equipment/<id>/states/<timestamp>", responses=responses(StateReport, 201, 200, 409))
def put_state(equipment_id: EquipmentId, timestamp: Timestamp, body: StateBody) -> Response[str]:
    """Report the state of a piece of equipment at a time; the same again changes nothing."""
    report = {"equipmentId": equipment_id, "timestamp": timestamp, **body.model_dump()}
    row = state.report_state(report, actor=app.caller.subject, now_ms=clock.now_ms())
    try:
        TABLE.put(row, condition=TABLE.absent)
    except ConditionFailed as failed:
        state.require_same(report, failed.row)
        return respond(HTTPStatus.OK, state.to_response(row))
    return respond(HTTPStatus.CREATED, state.to_response(row))
