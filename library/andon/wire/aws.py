"""Requests to AWS, every error mapped to `CallFailed`.

Two wires do the same. libcurl's speaks AWS's JSON protocols, and publishes to IoT, at a tenth of botocore's CPU and
import time; botocore's speaks everything (S3, too), and tests hook into it. `AWS_WIRE` chooses: `libcurl` (default) or
`botocore`. Either is imported at the first call: at synth, packages declare their tables without them.
"""

import gc
import os
import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final

from andon.runtime.errors import CallFailed
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.log import NAMESPACE, with_metrics

LIBCURL: Final = "libcurl"
BOTOCORE: Final = "botocore"

IOT_DATA: Final = "iot-data"

# A metric of all functions together, by the wire that they fell back to.
WIRE: Final = "wire"
FELL_BACK: Final = "fell_back"

Call = Callable[[str, str, JsonMapping], JsonObject]


def call(service: str, operation: str, **request: Any) -> JsonObject:  # noqa: ANN401  requests are any JSON
    """Make one request and return the response; `operation` is written as in boto3: `update_item`.

    Raises:
        CallFailed: AWS refused the request, or did not respond.

    """
    return _call_of(service)(service, operation, request)


@cache
def wire() -> str:
    """Return the wire of this process: `LIBCURL` or `BOTOCORE`.

    Raises:
        ValueError: `AWS_WIRE` names none.

    """
    chosen = os.environ.get("AWS_WIRE", LIBCURL)
    if chosen not in {LIBCURL, BOTOCORE}:
        raise ValueError(f"AWS_WIRE must be {LIBCURL} or {BOTOCORE}, not {chosen}")
    if chosen == LIBCURL and (missing := _missing_of_libcurl()):
        _tell_of_fall(missing)
        return BOTOCORE
    return chosen


def _tell_of_fall(missing: str) -> None:
    """Warn that libcurl's wire is missing, and count it where somebody is woken by it."""
    warnings.warn(f"{missing} cannot be imported: botocore is used, at ten times the CPU", stacklevel=3)
    if NAMESPACE in os.environ:
        from andon.runtime import clock  # noqa: PLC0415  not where all is well
        from andon.runtime.log import logger  # noqa: PLC0415

        line = {WIRE: BOTOCORE, FELL_BACK: 1, "missing": missing}
        logger().warning("wire fell back", extra=with_metrics(line, [FELL_BACK], dimension=WIRE, now_ms=clock.now_ms()))


def _missing_of_libcurl() -> str | None:
    try:
        from andon.wire import aws_json  # noqa: F401, PLC0415  see above
    except ImportError as error:
        return error.name or "pycurl"  # it has no name where a shared library of pycurl's is missing
    return None


@cache
def _call_of(service: str) -> Call:
    if wire() == LIBCURL:
        from andon.wire import aws_json  # noqa: PLC0415  see above

        if service in aws_json.PROTOCOLS:
            return aws_json.call
        if service == IOT_DATA:
            from andon.wire import iot_data  # noqa: PLC0415  see above

            return iot_data.call
    return _call_botocore


def _call_botocore(service: str, operation: str, request: JsonMapping) -> JsonObject:
    from andon.wire import botocore_client  # noqa: PLC0415  see above

    return botocore_client.call(partial(client, service), operation, request)


@cache
def client(service: str) -> Any:  # noqa: ANN401  boto3's clients are made at run time
    """Return botocore's client of an AWS service, one per process; boto3 clients are thread-safe."""
    from andon.wire import botocore_client  # noqa: PLC0415  see above

    return botocore_client.create(service)


def forget() -> None:
    """Choose and connect anew, for the environment has changed."""
    for cached in (wire, _call_of, client):
        cached.cache_clear()
    if wire() == LIBCURL:
        from andon.wire import aws_json, credentials, curl  # noqa: PLC0415  see above

        aws_json.endpoint.cache_clear()
        credentials.forget()
        curl.CONNECTIONS.forget()


def name_of(error: Exception) -> str:
    """Return the name of an error: AWS's code or the type, without its words, which may quote a message."""
    return error.code if isinstance(error, CallFailed) else type(error).__name__


# Initialisation gets a whole CPU, whatever the function's memory is; so the wire is loaded here, not in a request.
# https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
if "AWS_LAMBDA_INITIALIZATION_TYPE" in os.environ:
    if wire() == BOTOCORE:
        client("dynamodb")
    gc.freeze()  # what is loaded stays alive: no collection would find anything in it
