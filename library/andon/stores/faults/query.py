"""fault store -> HTTP."""

from http import HTTPStatus
from typing import Final

from andon.http.derived import PageOf
from andon.http.http_api import HttpApi
from andon.http.openapi import responses
from andon.http.page import DEFAULT_LIMIT, count_that_fit, decode_key, next_objects
from andon.http.parameters import Cursor, Limit
from andon.http.response import Response, respond
from andon.project import project
from andon.stores.faults import record
from andon.stores.faults.parameters import FaultId
from andon.stores.faults.record import Fault, FaultSummary, key_of, require_fault, summary_of
from andon.stores.faults.store import FAULTS

app = HttpApi()
handler = app.handler

FAULTS_PAGE: Final = PageOf(
    FaultSummary, "FaultsResponse", "A page of faults, newest first; a missing cursor is the end."
)


@app.serves("GET /faults", groups=project().groups.admins, responses=responses(FAULTS_PAGE, 200))
def get_faults(limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """List faults, newest first, without their messages."""
    found, last_key = record.page(limit=limit, after=decode_key(cursor, folder=FAULTS, scope=app.scope))
    items = [summary_of(fault) for fault in found]
    count = count_that_fit(items)
    if count < len(items):
        last_key = key_of(found[count - 1]["id"], found[count - 1]["timestamp"])
    page = {"items": items[:count]}
    return respond(HTTPStatus.OK, page | next_objects(last_key, scope=app.scope))


@app.serves("GET /faults/{id}", groups=project().groups.admins, responses=responses(Fault, 200, 404))
def get_fault(fault_id: FaultId) -> Response:
    """Return one fault, with its message."""
    return respond(HTTPStatus.OK, require_fault(record.get(fault_id)))
