"""Problem details (RFC 9457): the one form of every error that our handlers answer."""

from http import HTTPStatus
from typing import Any

from patterns.errors import FieldError

CONTENT_TYPE = "application/problem+json"


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
