"""equipment table -> HTTP."""

from http import HTTPStatus

from andon.http import periods
from andon.http.http_api import About, HttpApi
from andon.http.limits import IN_FUNCTION
from andon.http.openapi import responses
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import AsOf, Cursor, From, IfNoneMatch, KnownAt, Limit, To, Version
from andon.http.response import Response, respond
from andon.runtime import clock
from andon.versions.resource import NO_VERSION, time_of
from contract.groups import READERS
from contract.parameters import EquipmentId, Part
from services.equipment import audit, state
from services.equipment.bodies import Audit, Audits, Equipment, EquipmentVersions, StateReport, StateReports
from services.equipment.metadata import EQUIPMENT
from services.equipment.places import OF_EQUIPMENT, guard_of, require_shown
from services.equipment.tables import HISTORY_TABLE, TABLE

app = HttpApi()
handler = app.handler


@app.serves("GET /equipment/{id}", groups=READERS, at=IN_FUNCTION, responses=responses(Equipment, 200, 304, 404, 409))
def get_equipment(
    equipment_id: EquipmentId, as_of: AsOf = None, known_at: KnownAt = None, if_none_match: IfNoneMatch = None
) -> Response:
    """Return a piece of equipment as it is now, or as it was at `asOf`, by what had been recorded at `knownAt`."""
    asked, guard = periods.asked(as_of, known_at), guard_of(app.caller.places)
    row = EQUIPMENT.get(equipment_id, asked, guard)
    if asked is not None and guard is not None:
        require_shown(app.caller.places, equipment_id, row)
    return app.found(row, to_response=EQUIPMENT.to_response, if_none_match=if_none_match)


@app.serves(
    "GET /equipment/{id}/versions", groups=READERS, at=OF_EQUIPMENT, responses=responses(EquipmentVersions, 200)
)
def get_versions(equipment_id: EquipmentId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """List every version of a piece of equipment, newest first, deletions among them."""
    query = EQUIPMENT.revisions_of(equipment_id)
    return app.page(
        HISTORY_TABLE, query, to_response=EQUIPMENT.to_response, limit=limit, cursor=cursor, about=About(time_of)
    )


@app.serves(
    "GET /equipment/{id}/versions/{n}", groups=READERS, at=OF_EQUIPMENT, responses=responses(Equipment, 200, 304, 404)
)
def get_version(equipment_id: EquipmentId, version: Version, if_none_match: IfNoneMatch = None) -> Response:
    """Return one version of a piece of equipment."""
    row = app.require_own(EQUIPMENT.get_version(equipment_id, version), time_of, otherwise=NO_VERSION)
    return app.found(row, to_response=EQUIPMENT.to_response, if_none_match=if_none_match)


@app.serves("GET /equipment/{id}/audits", groups=READERS, at=OF_EQUIPMENT, responses=responses(Audits, 200))
def get_audits(equipment_id: EquipmentId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """List the latest audit of each part."""
    query = audit.latest_of_all(equipment_id)
    return app.page(TABLE, query, to_response=audit.to_response, limit=limit, cursor=cursor, about=About(time_of))


@app.serves(
    "GET /equipment/{id}/audits/{part}", groups=READERS, at=OF_EQUIPMENT, responses=responses(Audit, 200, 304, 404)
)
def get_audit(equipment_id: EquipmentId, part: Part, if_none_match: IfNoneMatch = None) -> Response:
    """Return the latest audit of a part, `_` for the whole."""
    row = app.require_own(audit.get(equipment_id, part), time_of, otherwise=audit.MISSING)
    return app.found(row, to_response=audit.to_response, if_none_match=if_none_match)


@app.serves(
    "GET /equipment/{id}/audits/{part}/revisions", groups=READERS, at=OF_EQUIPMENT, responses=responses(Audits, 200)
)
def get_audit_revisions(
    equipment_id: EquipmentId, part: Part, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Response:
    """List every audit of a part, newest first."""
    query = audit.audits_of(equipment_id, part).history()
    return app.page(TABLE, query, to_response=audit.to_response, limit=limit, cursor=cursor, about=About(time_of))


@app.serves(
    "GET /equipment/{id}/audits/{part}/revisions/{n}",
    groups=READERS,
    at=OF_EQUIPMENT,
    responses=responses(Audit, 200, 304, 404),
)
def get_audit_revision(
    equipment_id: EquipmentId, part: Part, revision: Version, if_none_match: IfNoneMatch = None
) -> Response:
    """Return one audit of a part."""
    row = app.require_own(audit.get(equipment_id, part, revision), time_of, otherwise=audit.MISSING)
    return app.found(row, to_response=audit.to_response, if_none_match=if_none_match)


@app.serves(
    "GET /equipment/{id}/states/latest", groups=READERS, at=OF_EQUIPMENT, responses=responses(StateReport, 200, 404)
)
def get_latest_state(equipment_id: EquipmentId) -> Response:
    """Return the newest report of a piece of equipment."""
    rows = TABLE.query(state.reports_of(equipment_id), limit=1).items
    newest = state.require_alive(rows, now_ms=clock.now_ms())
    app.require_own(newest, state.time_of, otherwise=state.MISSING)
    return respond(HTTPStatus.OK, state.to_response(newest))


@app.serves("GET /equipment/{id}/states", groups=READERS, at=OF_EQUIPMENT, responses=responses(StateReports, 200))
def get_states(
    equipment_id: EquipmentId, first: From = None, last: To = None, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Response:
    """List the reports of a piece of equipment, newest first."""
    query = state.reports_of(equipment_id, first, last)
    return app.page(TABLE, query, to_response=state.to_response, limit=limit, cursor=cursor, about=About(state.time_of))
