"""A page of events -> a response, its events byte by byte as the lake has them."""

from http import HTTPStatus
from typing import Final
from urllib.parse import quote, urlencode

from andon.http.page import Scope, encode_cursor
from andon.http.response import CONTENT_TYPE, JSON, Response
from andon.runtime import strict_json
from andon.stores.archive.pages import EventPage

NDJSON: Final = "application/x-ndjson"


def page_response(page: EventPage, *, scope: Scope, limit: int, accept: str | None) -> Response:
    """Return a list of events, or one event a line; `Link` leads to the next page."""
    cursor = page.behind and encode_cursor(page.behind, partition="", scope=scope)
    headers = {"Link": f'<{_next(scope, limit, cursor)}>; rel="next"'} if cursor else {}
    if accept is not None and NDJSON in accept:
        body = "".join(f"{line}\n" for line in page.lines)
        return Response(int(HTTPStatus.OK), body, {CONTENT_TYPE: NDJSON, **headers})
    more = f',"cursor":{strict_json.dumps(cursor)}' if cursor else ""
    body = f'{{"items":[{",".join(page.lines)}]{more}}}'
    return Response(int(HTTPStatus.OK), body, {CONTENT_TYPE: JSON, **headers})


def _next(scope: Scope, limit: int, cursor: str) -> str:
    path = scope["route"].partition(" ")[2]
    for name, value in scope["path"].items():
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    return f"{path}?{urlencode({**scope['query'], 'limit': limit, 'cursor': cursor})}"
