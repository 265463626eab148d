"""store of drift -> HTTP."""

from http import HTTPStatus
from typing import Final

from andon.http.derived import PageOf
from andon.http.http_api import HttpApi
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import Cursor, Limit
from andon.http.response import Response, respond, responses
from andon.project import project
from andon.recorded.dated_pages import read_objects
from andon.stores.drift.finding import KEPT, Finding

app = HttpApi()
handler = app.handler

FINDINGS: Final = PageOf(Finding, "FindingsResponse", "A page of findings, newest first; a missing cursor is the end.")


@app.serves("GET /drift", groups=project().groups.reviewers, responses=responses(FINDINGS, 200))
def get_drift(limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """List rows of views that differed from their events, newest first: where, and how that was ended."""
    page = read_objects(KEPT, to_response=dict, scope=app.scope, limit=limit, cursor=cursor)
    return respond(HTTPStatus.OK, page)
