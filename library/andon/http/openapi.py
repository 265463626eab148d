"""Responses of routes in the OpenAPI document."""

from http import HTTPStatus
from typing import Any, Final

from pydantic.json_schema import SkipJsonSchema

from andon.http.problem import PROBLEM_JSON, RETRY_AFTER, Problem
from andon.http.response import AFTER, JSON
from andon.runtime.json_types import JsonObject

Absent = SkipJsonSchema[None]
"""For a member that is left out where it does not apply: it is never null."""

TOKEN: Final = {AFTER: {"description": "A token of the write, for `?after=` of a view.", "schema": {"type": "string"}}}

LATER: Final = {
    RETRY_AFTER: {"description": "After how many seconds to try again, at the earliest.", "schema": {"type": "integer"}}
}

# Every route can refuse a request as invalid, and a caller as not allowed, and can be throttled by AWS.
ALWAYS = (HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.SERVICE_UNAVAILABLE)

# Nothing is wrong with these requests: later they are taken.
TO_BE_REPEATED: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


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
        return refused | ({"headers": LATER} if status in TO_BE_REPEATED else {})
    if model is None or status == HTTPStatus.NOT_MODIFIED:
        return {"description": status.phrase}
    return {"description": status.phrase, "content": {JSON: {"model": model}}}
