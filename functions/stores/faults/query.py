"""fault store -> HTTP."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from contract.parameters import Cursor, Limit
from patterns import paging
from patterns.http_api import HttpApi, answer
from patterns.openapi import answers
from patterns.paging import DEFAULT_LIMIT
from stores.faults import objects
from stores.faults.answers import Fault, FaultId, Faults
from stores.faults.record import summary, there
from stores.faults.routes import ROUTES

app = HttpApi(ROUTES)
handler = app.handler


@app.get("/faults", responses=answers(Faults, 200))
def get_faults(limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response[str]:
    """List faults, newest first, without their messages."""
    found, last = objects.page(limit=limit, after=_after(cursor))
    page = {"items": [summary(fault) for fault in found]}
    more = {"cursor": paging.encode({"key": last}, partition="", scope=app.scope)} if last else {}
    return answer(HTTPStatus.OK, page | more)


@app.get("/faults/<id>", responses=answers(Fault, 200, 404))
def get_fault(fault_id: FaultId) -> Response[str]:
    """Tell one fault, with its message."""
    return answer(HTTPStatus.OK, there(objects.get(fault_id)))


def _after(cursor: str | None) -> str | None:
    if cursor is None:
        return None
    return str(paging.decode(cursor, names=frozenset({"key"}), scope=app.scope)["key"])
