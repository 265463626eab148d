"""fault store -> HTTP."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from andon.http.http_api import HttpApi
from andon.http.openapi import responses
from andon.http.page import DEFAULT_LIMIT, count_that_fit, decode_cursor, encode_cursor
from andon.http.parameters import Cursor, Limit
from andon.http.response import respond
from andon.project import project
from andon.stores.faults import objects
from andon.stores.faults.record import key_of, require_fault, summary_of
from andon.stores.faults.responses import FaultId, FaultResponse, FaultsResponse

app = HttpApi()
handler = app.handler


@app.serves("GET /faults", groups=project().groups.admins, responses=responses(FaultsResponse, 200))
def get_faults(limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response[str]:
    """List faults, newest first, without their messages."""
    found, last_key = objects.page(limit=limit, after=_after(cursor))
    items = [summary_of(fault) for fault in found]
    count = count_that_fit(items)
    if count < len(items):
        last_key = key_of(found[count - 1]["id"], found[count - 1]["timestamp"])
    page = {"items": items[:count]}
    more = {"cursor": encode_cursor({"key": last_key}, partition="", scope=app.scope)} if last_key else {}
    return respond(HTTPStatus.OK, page | more)


@app.serves("GET /faults/{id}", groups=project().groups.admins, responses=responses(FaultResponse, 200, 404))
def get_fault(fault_id: FaultId) -> Response[str]:
    """Return one fault, with its message."""
    return respond(HTTPStatus.OK, require_fault(objects.get(fault_id)))


def _after(cursor: str | None) -> str | None:
    if cursor is None:
        return None
    return str(decode_cursor(cursor, names=frozenset({"key"}), scope=app.scope)["key"])
