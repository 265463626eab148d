"""equipment2 table -> HTTP."""

from andon.http import periods
from andon.http.http_api import About, HttpApi
from andon.http.limits import IN_FUNCTION
from andon.http.openapi import responses
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import AsOf, Cursor, IfNoneMatch, KnownAt, Limit, Version
from andon.http.response import Response
from andon.versions.resource import NO_VERSION, time_of
from contract.groups import READERS
from contract.parameters import EquipmentId
from services.equipment2.bodies import Machine, Machines
from services.equipment2.machine import MACHINE
from services.equipment2.places import OF_MACHINE, guard_of, require_shown
from services.equipment2.tables import HISTORY_TABLE

app = HttpApi()
handler = app.handler


@app.serves("GET /v2/equipment/{id}", groups=READERS, at=IN_FUNCTION, responses=responses(Machine, 200, 304, 404, 409))
def get_machine(
    equipment_id: EquipmentId, as_of: AsOf = None, known_at: KnownAt = None, if_none_match: IfNoneMatch = None
) -> Response:
    """Return a piece of equipment as it is now, or as it was at `asOf`, by what had been recorded at `knownAt`."""
    asked, guard = periods.asked(as_of, known_at), guard_of(app.caller.places)
    row = MACHINE.get(equipment_id, asked, guard)
    if asked is not None and guard is not None:
        require_shown(app.caller.places, equipment_id, row)
    return app.found(row, to_response=MACHINE.to_response, if_none_match=if_none_match)


@app.serves("GET /v2/equipment/{id}/versions", groups=READERS, at=OF_MACHINE, responses=responses(Machines, 200))
def get_machine_versions(equipment_id: EquipmentId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """List every version of a piece of equipment, newest first, deletions among them."""
    query = MACHINE.revisions_of(equipment_id)
    return app.page(
        HISTORY_TABLE, query, to_response=MACHINE.to_response, limit=limit, cursor=cursor, about=About(time_of)
    )


@app.serves(
    "GET /v2/equipment/{id}/versions/{n}", groups=READERS, at=OF_MACHINE, responses=responses(Machine, 200, 304, 404)
)
def get_machine_version(equipment_id: EquipmentId, version: Version, if_none_match: IfNoneMatch = None) -> Response:
    """Return one version of a piece of equipment."""
    row = app.require_own(MACHINE.get_version(equipment_id, version), time_of, otherwise=NO_VERSION)
    return app.found(row, to_response=MACHINE.to_response, if_none_match=if_none_match)
