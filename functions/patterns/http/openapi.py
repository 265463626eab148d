"""What a route answers, for the OpenAPI document."""

from http import HTTPStatus
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import SkipJsonSchema

from patterns.runtime.errors import FieldError

JSON = "application/json"
CONTENT_TYPE = "application/problem+json"

Absent = SkipJsonSchema[None]
"""Of a member that is left out if there is nothing to say: it is never null."""

# Every route can refuse a request as invalid, and a caller as not allowed.
ALWAYS = (HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN)


class FieldProblem(BaseModel):
    """One offending field."""

    field: str
    detail: str


class Problem(BaseModel):
    """Problem details, RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldProblem] | Absent = None


def responses(model: type[BaseModel] | None, *statuses: int) -> dict[int, Any]:
    """List the answers of a route: `model` for those below 400, a problem for the others."""
    return {status: _answer(HTTPStatus(status), model) for status in sorted({*statuses, *ALWAYS})}


def _answer(status: HTTPStatus, model: type[BaseModel] | None) -> dict[str, Any]:
    if status >= HTTPStatus.BAD_REQUEST:
        return {"description": status.phrase, "content": {CONTENT_TYPE: {"model": Problem}}}
    if model is None or status == HTTPStatus.NOT_MODIFIED:
        return {"description": status.phrase}
    return {"description": status.phrase, "content": {JSON: {"model": model}}}


def problem(status: HTTPStatus, detail: str, fields: tuple[FieldError, ...] = ()) -> dict[str, Any]:
    """Build `{type, title, status, detail, errors?: [{field, detail}]}`; `about:blank` says that the status is all."""
    members: dict[str, Any] = {
        "type": "about:blank",
        "title": status.phrase,
        "status": int(status),
        "detail": detail,
    }
    if fields:
        members["errors"] = [{"field": _sendable(error.field), "detail": error.detail} for error in fields]
    return members


def _sendable(name: str) -> str:
    """Escape lone surrogates: an unknown parameter is named by a stranger, and the answer has to be UTF-8."""
    return name.encode(errors="backslashreplace").decode()
