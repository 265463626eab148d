"""Responses: their bodies, and the headers that all of them have."""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Final, NamedTuple

from andon.http.etag import etag_of_content, matches
from andon.runtime import strict_json
from andon.runtime.json_types import JsonMapping

CONTENT_TYPE: Final = "Content-Type"
JSON: Final = "application/json"
NO_MEMBERS: Final[JsonMapping] = MappingProxyType({})

AFTER: Final = "x-after"
"""The header with the token of a write: a view's `?after=` takes it."""


class Response(NamedTuple):
    """The response of a route's function; the body is empty if there is none.

    more: further members of what API Gateway is told, as `cookies`.
    """

    status_code: int
    body: str
    headers: Mapping[str, str]
    more: JsonMapping = NO_MEMBERS


def headers_of_every_response(*, request_id: str, no_store: bool = False) -> dict[str, str]:
    """Return the headers of every response, refusals and failures included. Add yours here."""
    # No browser may guess another type: what one client sent must not become a script in another one.
    every = {"x-request-id": request_id, "x-content-type-options": "nosniff"}
    return every | ({"Cache-Control": "no-store"} if no_store else {})


def respond(
    status: HTTPStatus, body: JsonMapping | None = None, *, content_type: str = JSON, **headers: str
) -> Response:
    """Return a response, without content if `body` is None; names of headers are given with `_` for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is None:
        return Response(int(status), "", named)
    return Response(int(status), strict_json.dumps_as_kept(body), {CONTENT_TYPE: content_type, **named})


def respond_unless_known(body: JsonMapping, *, if_none_match: str | None) -> Response:
    """Return a response with the tag of its content; 304 if the client has that content."""
    etag = etag_of_content(strict_json.dumps_as_kept(body))
    if matches(if_none_match, etag):
        return respond(HTTPStatus.NOT_MODIFIED, ETag=etag)
    return respond(HTTPStatus.OK, body, ETag=etag)
