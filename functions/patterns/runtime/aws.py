"""Requests to AWS: one client of each service per process, every vendor error mapped to `CallFailed`.

botocore is imported at the first call: packages declare their tables at synth, too, where nobody calls AWS.
"""

import gc
import os
from functools import cache
from typing import Any

from patterns.runtime.errors import CallFailed


@cache
def client(service: str) -> Any:  # noqa: ANN401  boto3's clients are made at run time
    """Return the process's client of an AWS service; boto3 clients are thread-safe."""
    from patterns.runtime import botocore_client  # noqa: PLC0415  see above

    return botocore_client.create(service)


def call(service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401  requests are any JSON
    """Make one request; `operation` is written as in boto3: `update_item`. Return AWS's answer.

    Raises:
        CallFailed: AWS answered with an error, or not at all.

    """
    from patterns.runtime import botocore_client  # noqa: PLC0415  see above

    try:
        answer: dict[str, Any] = getattr(client(service), operation)(**request)
    except botocore_client.ERRORS as error:
        raise botocore_client.failure_of(error) from error
    return answer


def name_of(error: Exception) -> str:
    """Name an error without its words, which may quote a message: AWS's own code, or its type."""
    return error.code if isinstance(error, CallFailed) else type(error).__name__


# Lambda gives a function's whole CPU to its initialisation, whatever its memory: what is made there costs no request.
# https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
if "AWS_LAMBDA_INITIALIZATION_TYPE" in os.environ:
    client("dynamodb")
    # All that boto3 brought stays: no collection is to look through it again, neither in a cold start nor later.
    gc.freeze()
