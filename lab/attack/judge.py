"""Judges answers: each is as the document says, whatever was sent, and has no word of the insides."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from requests import PreparedRequest
from schemathesis import Case, Response
from schemathesis.checks import positive_data_acceptance, unsupported_method
from schemathesis.core.failures import AcceptedNegativeData, Failure, FailureGroup

from andon.tools.stack.api import HttpResponse
from lab.attack.operations import Operation
from lab.attack.wire import BROKEN

PROBLEM: Final = "application/problem+json"
LAMBDA_BYTES: Final = 6 * 1024 * 1024
"""https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"""

# What API Gateway answers before any of our code runs.
BY_THE_GATEWAY: Final = {400, 401, 403, 404, 405, 413, 414, 431}
# Who may be told apart from a good request only by what no schema says, and a method is the gateway's.
UNCHECKED: Final = [positive_data_acceptance, unsupported_method]

# No word of these may reach a client: the insides of Python, of its libraries and of AWS.
INSIDES: Final = re.compile(
    r"Traceback|\barn:aws|botocore|boto3|dynamodb|pydantic|functions/|/opt/|\.py\b|NoneType|Exception\b"
    r"|ConditionalCheck|line \d+ in",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges answers; `secrets` are the names of tables, queues and buckets, which nobody outside may learn.

    `as_it_came` are the routes that show, to admins and auditors and by design, a message or an event as it came: it
    may be a stream's record with the name of its table, and has the name of the function that published it.
    """

    secrets: tuple[str, ...] = ()
    as_it_came: tuple[str, ...] = ("/faults", "/archive")

    def effects(self, operation: Operation, answer: HttpResponse, case: Case[Any] | None = None) -> list[str]:
        """List what is wrong with an answer, in stable words; `case`: what schemathesis made the request of."""
        if answer.status == BROKEN:
            return [f"no answer ({answer.body.decode()})"]
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return [str(answer.status), *self._leaks(operation, answer)]
        if is_by_the_gateway(answer):
            return [] if answer.status in BY_THE_GATEWAY else [f"{answer.status} by the gateway"]
        return [*_undocumented(case or operation.case(), answer), *self._leaks(operation, answer)]

    def _leaks(self, operation: Operation, answer: HttpResponse) -> Iterator[str]:
        text = answer.body.decode(errors="replace")
        leaked = any(secret in text for secret in self.secrets) or INSIDES.search(text)
        if leaked and not operation.path.startswith(self.as_it_came):
            yield "tells of the insides"


def _undocumented(case: Case[Any], answer: HttpResponse) -> Iterator[str]:
    if len(answer.body) > LAMBDA_BYTES:
        yield "more than 6 MB"
    sent = PreparedRequest()
    sent.prepare(case.method, "http://api/", headers={})
    headers = {name: [value] for name, value in answer.headers.items()}
    response = Response(answer.status, headers, answer.body, sent, elapsed=0, verify=False)
    try:
        case.validate_response(response, excluded_checks=UNCHECKED)
    except (FailureGroup, Failure) as error:
        failures = error.exceptions if isinstance(error, FailureGroup) else [error]
        yield from (f"{answer.status}: {one.title}" for one in failures if not _is_of_a_link(one, answer))


def _is_of_a_link(failure: object, answer: HttpResponse) -> bool:
    """Return True if a token of a link that is nonsense was answered as one that is not good any more."""
    return isinstance(failure, AcceptedNegativeData) and answer.status == HTTPStatus.GONE


def is_by_the_gateway(answer: HttpResponse) -> bool:
    """Return True if no code of ours answered."""
    return "x-request-id" not in answer.headers and answer.headers.get("content-type") != PROBLEM


def is_refused(answer: HttpResponse) -> bool:
    """Return True if it was refused as invalid, as no route, or as the token of a link that is not good."""
    return answer.status in (BY_THE_GATEWAY if is_by_the_gateway(answer) else {HTTPStatus.BAD_REQUEST, HTTPStatus.GONE})


def without_headers(answer: HttpResponse) -> Iterator[str]:
    """Yield the headers that an answer of ours lacks."""
    if "x-request-id" not in answer.headers:
        yield "without x-request-id"
    if answer.headers.get("x-content-type-options") != "nosniff":
        yield "without nosniff"
