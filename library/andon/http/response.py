"""Responses: bodies and headers, problem details of refusals, and how the OpenAPI document declares them."""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pydantic.json_schema import SkipJsonSchema

from andon.http.etag import etag_of_content, matches
from andon.http.models import ResponseModel
from andon.runtime import strict_json
from andon.runtime.errors import FieldError, Rejected
from andon.runtime.json_types import JsonMapping, JsonObject

CONTENT_TYPE: Final = "Content-Type"
JSON: Final = "application/json"
_NO_MEMBERS: Final[JsonMapping] = MappingProxyType({})

AFTER: Final = "x-after"
"""The header with the token of a write: a view's `?after=` takes it."""


class Response(NamedTuple):
    """The response of a route's function; the body is empty if there is none.

    more: further members of what API Gateway is told, as `cookies`.
    """

    status_code: int
    body: str
    headers: Mapping[str, str]
    more: JsonMapping = _NO_MEMBERS


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


# Problem details (RFC 9457): the body of every refusal and failure.

PROBLEM_JSON: Final = "application/problem+json"

# A response has at most 6 MB, and a body of 512 KB can have a quarter of a million offending fields.
# https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
_MAX_ERRORS: Final = 100
_MAX_FIELD_CHARACTERS: Final = 200

RETRY_AFTER: Final = "retry-after"
# What is unavailable is throttled by AWS, whose quotas count by the second; clients add jitter of their own.
RETRY_AFTER_SECONDS: Final = 5


class FieldProblem(ResponseModel):
    """One offending field."""

    field: str
    detail: str


class Problem(ResponseModel):
    """Problem details, RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldProblem] | SkipJsonSchema[None] = None  # left out, never null


def respond_rejected(error: Rejected) -> Response:
    """Return the response to a request that is refused."""
    status = HTTPStatus(error.status)
    return respond_problem(
        status, error.detail, error.fields, retry_after_seconds=error.retry_after_seconds, members=error.members
    )


def respond_failed() -> Response:
    """Return 500 without a word of why; the log has it."""
    detail = "Something failed on our side; the request may be tried again."
    return respond_problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail)


def respond_throttled() -> Response:
    """Return 503: nothing is wrong with the request, and later there is capacity, or time, for it."""
    detail = "There is too much to do at this moment; send the request again later."
    return respond_problem(HTTPStatus.SERVICE_UNAVAILABLE, detail)


def respond_problem(
    status: HTTPStatus,
    detail: str,
    fields: tuple[FieldError, ...] = (),
    *,
    retry_after_seconds: int | None = None,
    members: JsonMapping = _NO_MEMBERS,
) -> Response:
    """Return `{type, title, status, detail, errors?: [{field, detail}]}`; `about:blank` means: see the status.

    The last of 101 errors says how many more there are. retry_after_seconds: by default 503 says a few, others nothing.
    members: more of them, see RFC 9457, 3.2.
    """
    problem = {"type": "about:blank", "title": status.phrase, "status": int(status), "detail": detail}
    errors = [{"field": _sendable(error.field), "detail": error.detail} for error in fields[:_MAX_ERRORS]]
    if len(fields) > _MAX_ERRORS:
        errors.append({"field": "", "detail": f"{len(fields) - _MAX_ERRORS} more"})
    if retry_after_seconds is None and status is HTTPStatus.SERVICE_UNAVAILABLE:
        retry_after_seconds = RETRY_AFTER_SECONDS
    headers = {} if retry_after_seconds is None else {RETRY_AFTER: str(retry_after_seconds)}
    body = {**members, **problem, **({"errors": errors} if errors else {})}
    return respond(status, body, content_type=PROBLEM_JSON, **headers)


def _sendable(name: str) -> str:
    """Cut a name, and escape lone surrogates: a client may send any name, and the response has to be UTF-8."""
    return name[:_MAX_FIELD_CHARACTERS].encode(errors="backslashreplace").decode()


# Responses of routes in the OpenAPI document.

Absent = SkipJsonSchema[None]
"""For a member that is left out where it does not apply: it is never null."""

TOKEN: Final = {AFTER: {"description": "A token of the write, for `?after=` of a view.", "schema": {"type": "string"}}}

LATER: Final = {
    RETRY_AFTER: {"description": "After how many seconds to try again, at the earliest.", "schema": {"type": "integer"}}
}

# Every route can refuse a request as invalid, and a caller as not allowed, and can be throttled by AWS.
ALWAYS = (HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.SERVICE_UNAVAILABLE)

# Nothing is wrong with these requests: later they are taken.
_TO_BE_REPEATED: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


def responses(model: Any, *statuses: int) -> dict[int, Any]:  # noqa: ANN401
    """Return the responses of a route by status: `model` for those below 400, a problem for the others.

    model: a declaration, a `PageOf` one, or a pydantic model; None: there is no content.
    """
    return {status: _response(HTTPStatus(status), model) for status in sorted({*statuses, *ALWAYS})}


def responses_of_write(model: Any, *statuses: int) -> dict[int, Any]:  # noqa: ANN401
    """Return the responses of a route that writes rows of views: with a token for `?after=`."""
    found = responses(model, *statuses)
    return {
        status: one if status >= HTTPStatus.BAD_REQUEST else one | {"headers": TOKEN} for status, one in found.items()
    }


def _response(status: HTTPStatus, model: Any) -> JsonObject:  # noqa: ANN401
    if status >= HTTPStatus.BAD_REQUEST:
        refused = {"description": status.phrase, "content": {PROBLEM_JSON: {"model": Problem}}}
        return refused | ({"headers": LATER} if status in _TO_BE_REPEATED else {})
    if model is None or status == HTTPStatus.NOT_MODIFIED:
        return {"description": status.phrase}
    return {"description": status.phrase, "content": {JSON: {"model": model}}}
