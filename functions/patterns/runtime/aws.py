"""Requests to AWS: one client of each service per process, every vendor error mapped to `CallFailed`.

botocore is imported at the first call: at synth, packages declare their tables without it.
"""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, Final

from patterns.runtime.errors import CallFailed

# An attempt gives up when it is not connected, or hears nothing, for so long.
CONNECT_SECONDS: Final = 2
READ_SECONDS: Final = 6
ATTEMPT_MS: Final = (CONNECT_SECONDS + READ_SECONDS) * 1000

BEGUN_BY_MS: Final[ContextVar[int | None]] = ContextVar("BEGUN_BY_MS", default=None)
"""The time after which no attempt of a request begins, see `begun_by`."""


@cache
def client(service: str) -> Any:  # noqa: ANN401  boto3's clients are made at run time
    """Return the client of an AWS service, one per process; boto3 clients are thread-safe."""
    from patterns.runtime import botocore_client  # noqa: PLC0415  see above

    return botocore_client.create(service)


def call(service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401  requests are any JSON
    """Make one request and return the response; `operation` is written as in boto3: `update_item`.

    Raises:
        CallFailed: AWS refused the request, or did not respond.

    """
    try:
        response: dict[str, Any] = getattr(client(service), operation)(**request)
    except Exception as error:
        from patterns.runtime import botocore_client  # noqa: PLC0415  see above

        if isinstance(error, botocore_client.ERRORS):
            raise botocore_client.failure_of(error) from error
        raise
    return response


@contextmanager
def begun_by(at_ms: int) -> Iterator[None]:
    """Begin no attempt of a request later than a time (epoch milliseconds): it fails instead of being retried.

    So the last one has ended `ATTEMPT_MS` after that time.
    """
    before = BEGUN_BY_MS.set(at_ms)
    try:
        yield
    finally:
        BEGUN_BY_MS.reset(before)


def name_of(error: Exception) -> str:
    """Return the name of an error: AWS's code or the type, without its words, which may quote a message."""
    return error.code if isinstance(error, CallFailed) else type(error).__name__


# Initialisation gets a whole CPU, whatever the function's memory is; so the client is made here, not in a request.
# https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
if "AWS_LAMBDA_INITIALIZATION_TYPE" in os.environ:
    # What boto3 brings stays alive: a collection would find nothing, neither while it is loaded nor later.
    gc.disable()
    client("dynamodb")
    gc.freeze()
    gc.enable()
