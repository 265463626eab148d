"""Problem details (RFC 9457): the body of every refusal and failure."""

from http import HTTPStatus
from typing import Final

from pydantic.json_schema import SkipJsonSchema

from andon.http.models import ResponseModel
from andon.http.response import NO_MEMBERS, Response, respond
from andon.runtime.errors import FieldError, Rejected
from andon.runtime.json_types import JsonMapping

PROBLEM_JSON: Final = "application/problem+json"

# A response has at most 6 MB, and a body of 512 KB can have a quarter of a million offending fields.
# https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
MAX_ERRORS: Final = 100
MAX_FIELD_CHARACTERS: Final = 200

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
    members: JsonMapping = NO_MEMBERS,
) -> Response:
    """Return `{type, title, status, detail, errors?: [{field, detail}]}`; `about:blank` means: see the status.

    The last of 101 errors says how many more there are. retry_after_seconds: by default 503 says a few, others nothing.
    members: more of them, see RFC 9457, 3.2.
    """
    problem = {"type": "about:blank", "title": status.phrase, "status": int(status), "detail": detail}
    errors = [{"field": _sendable(error.field), "detail": error.detail} for error in fields[:MAX_ERRORS]]
    if len(fields) > MAX_ERRORS:
        errors.append({"field": "", "detail": f"{len(fields) - MAX_ERRORS} more"})
    if retry_after_seconds is None and status is HTTPStatus.SERVICE_UNAVAILABLE:
        retry_after_seconds = RETRY_AFTER_SECONDS
    headers = {} if retry_after_seconds is None else {RETRY_AFTER: str(retry_after_seconds)}
    body = {**members, **problem, **({"errors": errors} if errors else {})}
    return respond(status, body, content_type=PROBLEM_JSON, **headers)


def _sendable(name: str) -> str:
    """Cut a name, and escape lone surrogates: a client may send any name, and the response has to be UTF-8."""
    return name[:MAX_FIELD_CHARACTERS].encode(errors="backslashreplace").decode()
