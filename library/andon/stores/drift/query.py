"""store of drift -> HTTP."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from andon.http.http_api import HttpApi
from andon.http.openapi import responses
from andon.http.page import DEFAULT_LIMIT, count_that_fit, decode_cursor, encode_cursor
from andon.http.parameters import Cursor, Limit
from andon.http.response import respond
from andon.project import project
from andon.stores.drift import objects
from andon.stores.drift.finding import key_of
from andon.stores.drift.responses import FindingsResponse

app = HttpApi()
handler = app.handler


@app.serves("GET /drift", groups=project().groups.reviewers, responses=responses(FindingsResponse, 200))
def get_drift(limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response[str]:
    """List rows of views that differed from their events, newest first: where, and how that was ended."""
    items, last_key = objects.page(limit=limit, after=_after(cursor))
    count = count_that_fit(items)
    if count < len(items):
        last_key = key_of(items[count - 1])
    page = {"items": items[:count]}
    more = {"cursor": encode_cursor({"key": last_key}, partition="", scope=app.scope)} if last_key else {}
    return respond(HTTPStatus.OK, page | more)


def _after(cursor: str | None) -> str | None:
    if cursor is None:
        return None
    return str(decode_cursor(cursor, names=frozenset({"key"}), scope=app.scope)["key"])
