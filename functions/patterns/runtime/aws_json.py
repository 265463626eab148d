"""AWS's JSON protocols: a request -> JSON, its response -> a dict or `CallFailed`, and what is tried again.

https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html
"""

import os
import random
import zlib
from collections.abc import Mapping
from functools import cache
from itertools import count
from typing import Any, Final, NamedTuple
from uuid import uuid4

import orjson

from patterns.runtime.credentials import credentials, region
from patterns.runtime.curl import Request, Response
from patterns.runtime.deadline import require_in_time
from patterns.runtime.errors import CallFailed
from patterns.runtime.in_turns import exchange, pause


class Protocol(NamedTuple):
    """How a service is spoken to; host: the first part of its name; variable: the end of `AWS_ENDPOINT_URL_…`."""

    target: str
    version: str
    host: str
    variable: str


PROTOCOLS: Final = {
    "dynamodb": Protocol("DynamoDB_20120810", "1.0", "dynamodb", "DYNAMODB"),
    "events": Protocol("AWSEvents", "1.1", "events", "EVENTBRIDGE"),
    "sqs": Protocol("AmazonSQS", "1.0", "sqs", "SQS"),
}

# Standard mode of AWS's SDKs: what is tried again, how often, and the longest pause before the second attempt, which
# doubles with each. https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
ATTEMPTS: Final = 4
TRANSIENT_SECONDS: Final = 0.1
THROTTLED_SECONDS: Final = 1.0
BAD_STATUS: Final = 300
TRANSIENT_STATUSES: Final = frozenset({500, 502, 503, 504})
TRANSIENT: Final = frozenset({"RequestTimeout", "RequestTimeoutException", "InternalServerError"})
THROTTLED: Final = frozenset(
    {
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "TransactionInProgressException",
    }
)

# What a response that is not whole, or not what was sent, is called in botocore.
NOT_WHOLE: Final = frozenset({"ConnectionClosedError", "EndpointConnectionError", "ReadTimeoutError"})
CHECKSUM: Final = "ChecksumError"
UNREADABLE: Final = "ResponseParserError"
CRC32_HEADER: Final = b"x-amz-crc32:"


def call(service: str, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """Make a request, again if it may succeed then; `operation` is written as in boto3: `update_item`.

    Raises:
        CallFailed: AWS refused it, or did not respond at any of `ATTEMPTS` attempts.

    """
    if operation == "transact_write_items":  # so that an attempt whose response was lost does not count twice
        request = {"ClientRequestToken": str(uuid4()), **request}
    body = orjson.dumps(request)
    for attempt in count(1):
        require_in_time()
        response = exchange(_request(service, operation, body))
        try:
            content = _content(response)
        except CallFailed as error:
            seconds = _pause_seconds(error.code, response.status)
            if not seconds or attempt == ATTEMPTS or not RETRIES.take():
                raise
            pause(seconds * 2 ** (attempt - 1) * random.random())  # noqa: S311  jitter is no secret
        else:
            RETRIES.refill()
            return content
    raise AssertionError  # for the type checker: count() has no end


class RetryQuota:
    """Bounds the retries of a process while AWS is down, so that they do not multiply its load.

    Standard mode's sizes: 100 retries, and another one after every five successes.
    """

    CAPACITY: Final = 500
    RETRY: Final = 5

    def __init__(self) -> None:
        self._left = self.CAPACITY

    def take(self) -> bool:
        """Take a retry out of the quota; return whether there was one."""
        if self._left < self.RETRY:
            return False
        self._left -= self.RETRY
        return True

    def refill(self) -> None:
        """Put something back, for a request succeeded."""
        self._left = min(self.CAPACITY, self._left + 1)


RETRIES: Final = RetryQuota()


@cache
def endpoint(service: str) -> str:
    """Return the URL of a service, as the SDKs find it."""
    protocol = PROTOCOLS[service]
    configured = os.environ.get(f"AWS_ENDPOINT_URL_{protocol.variable}") or os.environ.get("AWS_ENDPOINT_URL")
    if configured and os.environ.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "").lower() != "true":
        return configured
    suffix = "amazonaws.com.cn" if region().startswith("cn-") else "amazonaws.com"
    return f"https://{protocol.host}.{region()}.{suffix}"


@cache
def _headers(service: str, operation: str) -> tuple[str, ...]:
    """Return the headers of an operation; `Expect` and `Accept` stay away, for libcurl would sign and send them."""
    protocol = PROTOCOLS[service]
    name = "".join(word.capitalize() for word in operation.split("_"))
    content_type = f"Content-Type: application/x-amz-json-{protocol.version}"
    return (content_type, f"X-Amz-Target: {protocol.target}.{name}", "Expect:", "Accept:")


def _request(service: str, operation: str, body: bytes) -> Request:
    signing = f"aws:amz:{region()}:{service}"
    return Request(endpoint(service), signing, credentials(), _headers(service, operation), body)


def _content(response: Response) -> dict[str, Any]:
    """Return what a response says.

    Raises:
        CallFailed: it is not whole, or an error.

    """
    if response.failed:
        raise CallFailed(response.failed)
    _require_checksum(response)
    try:
        content: dict[str, Any] = orjson.loads(response.body or b"{}")
    except ValueError:
        raise CallFailed(UNREADABLE if response.status < BAD_STATUS else str(response.status)) from None
    if response.status < BAD_STATUS:
        return content
    code = str(content.get("__type", response.status)).rpartition("#")[2]
    message = content.get("message", content.get("Message", ""))
    raise CallFailed(code, {**content, "Error": {"Code": code, "Message": message}})


def _require_checksum(response: Response) -> None:
    """Compare DynamoDB's checksum: a proxy or a disk between us and AWS may change a byte."""
    for header in response.headers:
        if header[: len(CRC32_HEADER)].lower() == CRC32_HEADER:
            if int(header[len(CRC32_HEADER) :]) != zlib.crc32(response.body):
                raise CallFailed(CHECKSUM)
            return


def _pause_seconds(code: str, status: int) -> float:
    """Return the longest pause before another attempt; 0: it would fail, too."""
    if code in THROTTLED:
        return THROTTLED_SECONDS
    if status in TRANSIENT_STATUSES or code in TRANSIENT | NOT_WHOLE | {CHECKSUM, UNREADABLE}:
        return TRANSIENT_SECONDS
    return 0
