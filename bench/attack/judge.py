"""What every answer has to be, whatever was sent."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

import jsonschema_rs

from andon.tools.stack.api import Answer
from bench.attack.operations import Operation
from bench.attack.wire import BROKEN

PROBLEM: Final = "application/problem+json"
LAMBDA_BYTES: Final = 6 * 1024 * 1024
"""https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"""

# What API Gateway answers before any of our code runs.
BY_THE_GATEWAY: Final = {400, 401, 403, 404, 405, 413, 414, 431}

# No word of these may reach a client: the insides of Python, of its libraries and of AWS.
INSIDES: Final = re.compile(
    r"Traceback|\barn:aws|botocore|boto3|dynamodb|pydantic|functions/|/opt/|\.py\b|NoneType|Exception\b"
    r"|ConditionalCheck|line \d+ in",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges answers; `secrets` are the names of tables, queues and buckets, which nobody outside may learn.

    `tells_faults` are the routes that show what went wrong inside, to admins and by design: a message as it came, which
    may be a stream's record with the name of its table.
    """

    secrets: tuple[str, ...] = ()
    tells_faults: tuple[str, ...] = ("/faults",)
    _validators: dict[tuple[str, int], Any] = field(default_factory=dict)

    def effects(self, operation: Operation, answer: Answer) -> list[str]:
        """List what is wrong with an answer, in stable words."""
        if answer.status == BROKEN:
            return [f"no answer ({answer.body.decode()})"]
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return [str(answer.status), *self._leaks(operation, answer)]
        if is_by_the_gateway(answer):
            return [] if answer.status in BY_THE_GATEWAY else [f"{answer.status} by the gateway"]
        return [*self._undocumented(operation, answer), *self._leaks(operation, answer)]

    def _undocumented(self, operation: Operation, answer: Answer) -> Iterable[str]:
        if answer.status not in operation.responses:
            yield f"{answer.status}, which is not documented"
            return
        documented = operation.responses[answer.status]
        if documented is None:
            if answer.body:
                yield f"{answer.status} with a body"
            return
        media_type, schema = documented
        if answer.headers.get("content-type") != media_type:
            yield f"{answer.status} that is not {media_type}"
        if len(answer.body) > LAMBDA_BYTES:
            yield "more than 6 MB"
        elif not self._fits(operation, answer, schema):
            yield f"{answer.status} with a body that is not as documented"

    def _fits(self, operation: Operation, answer: Answer, schema: Mapping[str, Any]) -> bool:
        key = operation.name, answer.status
        if key not in self._validators:
            self._validators[key] = jsonschema_rs.validator_for({**schema, "$schema": DIALECT})
        try:
            return bool(self._validators[key].is_valid(json.loads(answer.body)))
        except ValueError:
            return False

    def _leaks(self, operation: Operation, answer: Answer) -> Iterable[str]:
        text = answer.body.decode(errors="replace")
        leaked = any(secret in text for secret in self.secrets) or INSIDES.search(text)
        if leaked and not operation.path.startswith(self.tells_faults):
            yield "tells of the insides"


DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def is_by_the_gateway(answer: Answer) -> bool:
    """Whether no code of ours answered."""
    return "x-request-id" not in answer.headers and answer.headers.get("content-type") != PROBLEM


def is_refused(answer: Answer) -> bool:
    """Whether it was refused as invalid, or as no route."""
    return answer.status in (BY_THE_GATEWAY if is_by_the_gateway(answer) else {HTTPStatus.BAD_REQUEST})


def without_headers(answer: Answer) -> Iterable[str]:
    """List the headers that an answer of ours lacks."""
    if "x-request-id" not in answer.headers:
        yield "without x-request-id"
    if answer.headers.get("x-content-type-options") != "nosniff":
        yield "without nosniff"
