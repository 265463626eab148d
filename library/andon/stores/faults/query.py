"""fault store -> HTTP."""

from http import HTTPStatus
from typing import Final

from andon.http.derived import PageOf
from andon.http.http_api import HttpApi
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import Cursor, Limit
from andon.http.response import Response, respond, responses
from andon.project import project
from andon.recorded.dated_pages import read_objects
from andon.stores.faults import record
from andon.stores.faults.parameters import FaultId
from andon.stores.faults.record import Fault, FaultSummary, require_fault, summary_of

app = HttpApi()
handler = app.handler

_FAULTS_PAGE: Final = PageOf(
    FaultSummary, "FaultsResponse", "A page of faults, newest first; a missing cursor is the end."
)


@app.serves("GET /faults", groups=project().groups.admins, responses=responses(_FAULTS_PAGE, 200))
def get_faults(limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """List faults, newest first, without their messages."""
    page = read_objects(record.KEPT, to_response=summary_of, scope=app.scope, limit=limit, cursor=cursor)
    return respond(HTTPStatus.OK, page)


@app.serves("GET /faults/{id}", groups=project().groups.admins, responses=responses(Fault, 200, 404))
def get_fault(fault_id: FaultId) -> Response:
    """Return one fault, with its message."""
    return respond(HTTPStatus.OK, require_fault(record.get(fault_id)))
