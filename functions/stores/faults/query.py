"""fault store -> HTTP."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from contract.parameters import Cursor, Limit
from patterns.http.http_api import HttpApi, answer
from patterns.http.openapi import responses
from patterns.http.page import DEFAULT_LIMIT, decode_cursor, encode_cursor
from stores.faults import objects
from stores.faults.record import summary, there
from stores.faults.responses import Fault, FaultId, Faults
from stores.faults.routes import ROUTES

app = HttpApi(ROUTES)
handler = app.handler


@app.get("/faults", responses=responses(Faults, 200))
def get_faults(limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response[str]:
    """List faults, newest first, without their messages."""
    found, last = objects.page(limit=limit, after=_after(cursor))
    page = {"items": [summary(fault) for fault in found]}
    more = {"cursor": encode_cursor({"key": last}, partition="", scope=app.scope)} if last else {}
    return answer(HTTPStatus.OK, page | more)


@app.get("/faults/<id>", responses=responses(Fault, 200, 404))
def get_fault(fault_id: FaultId) -> Response[str]:
    """Tell one fault, with its message."""
    return answer(HTTPStatus.OK, there(objects.get(fault_id)))


def _after(cursor: str | None) -> str | None:
    if cursor is None:
        return None
    return str(decode_cursor(cursor, names=frozenset({"key"}), scope=app.scope)["key"])
