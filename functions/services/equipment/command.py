"""HTTP -> equipment table."""

import os
from http import HTTPStatus
from typing import cast

from aws_lambda_powertools.event_handler import Response

from contract.parameters import EquipmentId, IfMatch, Part, Timestamp
from patterns.dynamodb.errors import ConditionFailed
from patterns.events.publish import try_publish
from patterns.http.http_api import HttpApi
from patterns.http.openapi import responses
from patterns.http.response import respond
from patterns.runtime import clock
from patterns.versions.versioned_write import change, save
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
from services.equipment.tables import HISTORY_TABLE, TABLE

app = HttpApi(ROUTES)
handler = app.handler


@app.put("/equipment/<id>", responses=responses(Equipment, 201, 200, 412, 428))
def put_equipment(equipment_id: EquipmentId, body: EquipmentBody, if_match: IfMatch = None) -> Response[str]:
    """Register a piece of equipment, or change it; If-Match names the version to change."""
    content = cast("metadata.EquipmentContent", body.model_dump())
    draft = metadata.register(equipment_id, content, app.command(if_match, content))
    return app.saved(save(metadata.versions_of(equipment_id), draft), to_response=metadata.to_response)


@app.delete("/equipment/<id>", responses=responses(None, 204, 404, 412, 428))
def delete_equipment(equipment_id: EquipmentId, if_match: IfMatch = None) -> Response[str]:
    """Delete a piece of equipment; its history stays, and a PUT brings it back."""
    command = app.command(if_match, {})
    change(metadata.versions_of(equipment_id), command, lambda row: metadata.retire(row, command))
    return respond(HTTPStatus.NO_CONTENT)


@app.post("/equipment/<id>/rollback", responses=responses(Equipment, 200, 404, 409, 412, 428))
def post_rollback(equipment_id: EquipmentId, body: RollbackBody, if_match: IfMatch = None) -> Response[str]:
    """Make an earlier version current again, as a new version."""
    command = app.command(if_match, body.model_dump())
    earlier = HISTORY_TABLE.get(metadata.revision_key(equipment_id, body.toVersion), consistent=True)
    revision = metadata.row_of(earlier)
    saved = change(metadata.versions_of(equipment_id), command, lambda _: metadata.roll_back(revision, command))
    return app.saved(saved, to_response=metadata.to_response)


@app.put("/equipment/<id>/audits/<part>", responses=responses(Audit, 201, 200, 404, 412, 428))
def put_audit(equipment_id: EquipmentId, part: Part, body: AuditBody, if_match: IfMatch = None) -> Response[str]:
    """Record an audit of a part, `_` for the whole: the next revision."""
    content = cast("audit.AuditContent", body.model_dump())
    draft = audit.record(equipment_id, part, content, app.command(if_match, content))
    return app.saved(save(audit.versions_of(equipment_id, part), draft), to_response=audit.to_response)


@app.post("/states", responses=responses(Accepted, 202, 503))
def post_states(reports: Reports) -> Response[str]:
    """Report many states, fire and forget: they are published, and not kept under `/states`."""
    entities = [state.entity_of(one.equipmentId, one.state, one.timestamp, one.detail) for one in reports]
    tags = {
        "stage": os.environ["STAGE"],
        "source": "equipment",
        "functionname": app.lambda_context.function_name,
        "pipeline": "equipment.command",
    }
    events = stream_first.events_of(entities, tags=tags, now_ms=clock.now_ms())
    stream_first.require_all_published(try_publish(events, source="equipment"))
    return respond(HTTPStatus.ACCEPTED, {"ids": [event.id for event in events]})


@app.put("/equipment/<id>/states/<timestamp>", responses=responses(StateReport, 201, 200, 409))
def put_state(equipment_id: EquipmentId, timestamp: Timestamp, body: StateBody) -> Response[str]:
    """Report the state of a piece of equipment at a time; the same again changes nothing."""
    report = state.entity_of(equipment_id, body.state, timestamp, body.detail)
    row = state.report_state(report, actor=app.caller.subject, now_ms=clock.now_ms())
    try:
        TABLE.put(row, condition=TABLE.absent)
    except ConditionFailed as failed:
        state.require_same(report, failed.row)
        return respond(HTTPStatus.OK, report)
    return respond(HTTPStatus.CREATED, report)
