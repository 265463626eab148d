"""What the OpenAPI document says of a route's responses."""

from http import HTTPStatus
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import SkipJsonSchema

from patterns.http.problem import PROBLEM_JSON, Problem
from patterns.http.response import JSON

Absent = SkipJsonSchema[None]
"""For a member that is left out where it does not apply: it is never null."""

# Every route can refuse a request as invalid, and a caller as not allowed.
ALWAYS = (HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN)


def responses(model: type[BaseModel] | None, *statuses: int) -> dict[int, Any]:
    """Return the responses of a route by status: `model` for those below 400, a problem for the others."""
    return {status: _response(HTTPStatus(status), model) for status in sorted({*statuses, *ALWAYS})}


def _response(status: HTTPStatus, model: type[BaseModel] | None) -> dict[str, Any]:
    if status >= HTTPStatus.BAD_REQUEST:
        return {"description": status.phrase, "content": {PROBLEM_JSON: {"model": Problem}}}
    if model is None or status == HTTPStatus.NOT_MODIFIED:
        return {"description": status.phrase}
    return {"description": status.phrase, "content": {JSON: {"model": model}}}
