"""equipment table -> HTTP."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from contract.parameters import AsOf, Cursor, EquipmentId, From, IfNoneMatch, Limit, Part, To, Version
from patterns.dynamodb.ttl import is_alive
from patterns.http.http_api import HttpApi
from patterns.http.openapi import responses
from patterns.http.page import DEFAULT_LIMIT
from patterns.http.response import respond
from patterns.runtime import clock
from patterns.runtime.errors import NotFound
from services.equipment import audit, metadata, state
from services.equipment.bodies import Audit, Audits, Equipment, EquipmentVersions, StateReport, StateReports
from services.equipment.routes import ROUTES
from services.equipment.stores import HISTORY_TABLE, TABLE

app = HttpApi(ROUTES)
handler = app.handler


@app.get("/equipment/<id>", responses=responses(Equipment, 200, 304, 404))
def get_equipment(equipment_id: EquipmentId, as_of: AsOf = None, if_none_match: IfNoneMatch = None) -> Response[str]:
    """Tell what a piece of equipment is now, or was at a time."""
    if as_of is None:
        row = TABLE.get(metadata.key_of(equipment_id), consistent=True)
    else:
        row = next(iter(HISTORY_TABLE.query(metadata.revisions_until(equipment_id, as_of), limit=1).items), None)
    return app.found(metadata.alive(row), to_response=metadata.to_response, if_none_match=if_none_match)


@app.get("/equipment/<id>/versions", responses=responses(EquipmentVersions, 200))
def get_versions(equipment_id: EquipmentId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response[str]:
    """List every version of a piece of equipment, newest first, deletions among them."""
    query = metadata.revisions_of(equipment_id)
    return app.page(HISTORY_TABLE, query, to_response=metadata.to_response, limit=limit, cursor=cursor)


@app.get("/equipment/<id>/versions/<n>", responses=responses(Equipment, 200, 304, 404))
def get_version(equipment_id: EquipmentId, version: Version, if_none_match: IfNoneMatch = None) -> Response[str]:
    """Tell what one version said."""
    row = HISTORY_TABLE.get(metadata.revision_key(equipment_id, version))
    if row is None:
        raise NotFound("There is no such version.")
    return app.found(row, to_response=metadata.to_response, if_none_match=if_none_match)


@app.get("/equipment/<id>/audits", responses=responses(Audits, 200))
def get_audits(equipment_id: EquipmentId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response[str]:
    """List the latest audit of each part."""
    return app.page(TABLE, audit.audits_of(equipment_id), to_response=audit.to_response, limit=limit, cursor=cursor)


@app.get("/equipment/<id>/audits/<part>", responses=responses(Audit, 200, 304, 404))
def get_audit(equipment_id: EquipmentId, part: Part, if_none_match: IfNoneMatch = None) -> Response[str]:
    """Tell the latest audit of a part, `_` for the whole."""
    row = audit.found(TABLE.get(audit.key_of(equipment_id, part), consistent=True))
    return app.found(row, to_response=audit.to_response, if_none_match=if_none_match)


@app.get("/equipment/<id>/audits/<part>/revisions", responses=responses(Audits, 200))
def get_audit_revisions(
    equipment_id: EquipmentId, part: Part, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Response[str]:
    """List every audit of a part, newest first."""
    return app.page(
        TABLE, audit.revisions_of(equipment_id, part), to_response=audit.to_response, limit=limit, cursor=cursor
    )


@app.get("/equipment/<id>/audits/<part>/revisions/<n>", responses=responses(Audit, 200, 304, 404))
def get_audit_revision(
    equipment_id: EquipmentId, part: Part, revision: Version, if_none_match: IfNoneMatch = None
) -> Response[str]:
    """Tell one audit of a part."""
    row = audit.found(TABLE.get(audit.revision_key(equipment_id, part, revision)))
    return app.found(row, to_response=audit.to_response, if_none_match=if_none_match)


@app.get("/equipment/<id>/states/latest", responses=responses(StateReport, 200, 404))
def get_latest_state(equipment_id: EquipmentId) -> Response[str]:
    """Tell the newest report of a piece of equipment."""
    rows = TABLE.query(state.reports_of(equipment_id), limit=1).items
    if not rows or not is_alive(rows[0], clock.now_ms()):
        raise NotFound("No state is recorded for this equipment.")
    return respond(HTTPStatus.OK, state.to_response(rows[0]))


@app.get("/equipment/<id>/states", responses=responses(StateReports, 200))
def get_states(
    equipment_id: EquipmentId,
    first: From = None,
    last: To = None,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response[str]:
    """List the reports of a piece of equipment, newest first."""
    return app.page(
        TABLE, state.reports_of(equipment_id, first, last), to_response=state.to_response, limit=limit, cursor=cursor
    )
