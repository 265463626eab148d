"""store of drift -> HTTP."""

from http import HTTPStatus
from typing import Final

from andon.http.derived import PageOf
from andon.http.http_api import HttpApi
from andon.http.openapi import responses
from andon.http.page import DEFAULT_LIMIT, count_that_fit, decode_key, next_objects
from andon.http.parameters import Cursor, Limit
from andon.http.response import Response, respond
from andon.project import project
from andon.stores.drift import finding
from andon.stores.drift.finding import Finding, key_of
from andon.stores.drift.store import FOLDER

app = HttpApi()
handler = app.handler

FINDINGS: Final = PageOf(Finding, "FindingsResponse", "A page of findings, newest first; a missing cursor is the end.")


@app.serves("GET /drift", groups=project().groups.reviewers, responses=responses(FINDINGS, 200))
def get_drift(limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """List rows of views that differed from their events, newest first: where, and how that was ended."""
    items, last_key = finding.page(limit=limit, after=decode_key(cursor, folder=FOLDER, scope=app.scope))
    count = count_that_fit(items)
    if count < len(items):
        last_key = key_of(items[count - 1])
    page = {"items": items[:count]}
    return respond(HTTPStatus.OK, page | next_objects(last_key, scope=app.scope))
