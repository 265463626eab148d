"""equipment2 table -> HTTP."""

from aws_lambda_powertools.event_handler import Response

from andon.http import periods
from andon.http.http_api import HttpApi
from andon.http.openapi import responses
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import AsOf, Cursor, IfNoneMatch, KnownAt, Limit, Version
from andon.versions.bitemporal import revision_at
from contract.groups import READERS
from contract.parameters import EquipmentId
from services.equipment2 import machine
from services.equipment2.bodies import Machine, Machines
from services.equipment2.tables import HISTORY_TABLE, TABLE

app = HttpApi()
handler = app.handler


@app.serves("GET /v2/equipment/{id}", groups=READERS, responses=responses(Machine, 200, 304, 404))
def get_machine(
    equipment_id: EquipmentId, as_of: AsOf = None, known_at: KnownAt = None, if_none_match: IfNoneMatch = None
) -> Response[str]:
    """Return a piece of equipment as it is now, or as it was at `asOf`, by what had been recorded at `knownAt`."""
    if as_of is None and known_at is None:
        row = machine.row_of(TABLE.get(machine.key_of(equipment_id), consistent=True))
    else:
        row = machine.row_of(revision_at(machine.timeline_of(equipment_id), periods.asked(as_of, known_at)))
    found = machine.require_registered(row)
    return app.found(found, to_response=machine.to_response, if_none_match=if_none_match)


@app.serves("GET /v2/equipment/{id}/versions", groups=READERS, responses=responses(Machines, 200))
def get_machine_versions(
    equipment_id: EquipmentId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Response[str]:
    """List every version of a piece of equipment, newest first, deletions among them."""
    query = machine.revisions_of(equipment_id)
    return app.page(HISTORY_TABLE, query, to_response=machine.to_response, limit=limit, cursor=cursor)


@app.serves("GET /v2/equipment/{id}/versions/{n}", groups=READERS, responses=responses(Machine, 200, 304, 404))
def get_machine_version(
    equipment_id: EquipmentId, version: Version, if_none_match: IfNoneMatch = None
) -> Response[str]:
    """Return one version of a piece of equipment."""
    row = machine.require_version(machine.row_of(HISTORY_TABLE.get(machine.revision_key(equipment_id, version))))
    return app.found(row, to_response=machine.to_response, if_none_match=if_none_match)
