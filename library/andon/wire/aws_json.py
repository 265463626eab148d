"""AWS's JSON protocols: a request -> JSON, its response -> a dict or `CallFailed`.

https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html
"""

import os
import zlib
from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple

import orjson

from andon.runtime.errors import CallFailed
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.wire import retries
from andon.wire.credentials import credentials, region
from andon.wire.curl import Request, Response
from andon.wire.deadline import require_in_time
from andon.wire.in_turns import exchange, pause

# A request over libcurl until it succeeds, or cannot; `retries` decides about another attempt.


def until_done(  # noqa: PLR0915  one loop, for every request
    request_of: Callable[[], Request], content_of: Callable[[Response], JsonObject]
) -> JsonObject:
    """Make a request, again if it may succeed then; `request_of` is called for each attempt, which is signed anew.

    Raises:
        CallFailed: `content_of` raised it, at each of `retries.ATTEMPTS` attempts or once for all.

    """
    attempt, taken = 1, 0
    require_in_time()
    while True:
        response = exchange(request_of())
        try:
            content = content_of(response)
        except CallFailed as error:
            if (again := retries.again_after(error.code, response.status)) is None:
                retries.QUOTA.give_back(taken or 1)  # a refusal is as good a sign of life as a success
                raise
            if attempt == retries.ATTEMPTS or not retries.QUOTA.take(again.quota):
                raise
            _pause_in_time(again.seconds * 2 ** (attempt - 1) * retries.jitter())
            attempt, taken = attempt + 1, again.quota
        else:
            retries.QUOTA.give_back(taken or 1)
            return content


def _pause_in_time(seconds: float) -> None:
    require_in_time(seconds)
    pause(seconds)


# The URL of an AWS service, for requests and for addresses that others use.


def endpoint_of(host: str, variable: str) -> str:
    """Return the URL of a service by the first part of its name, and the end of its `AWS_ENDPOINT_URL_…`."""
    configured = os.environ.get(f"AWS_ENDPOINT_URL_{variable}") or os.environ.get("AWS_ENDPOINT_URL")
    if configured and os.environ.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "").lower() != "true":
        return configured
    suffix = "amazonaws.com.cn" if region().startswith("cn-") else "amazonaws.com"
    return f"https://{host}.{region()}.{suffix}"


class Protocol(NamedTuple):
    """The protocol of a service; host: the first part of its name; variable: the end of `AWS_ENDPOINT_URL_…`."""

    target: str
    version: str
    host: str
    variable: str


PROTOCOLS: Final = {
    "dynamodb": Protocol("DynamoDB_20120810", "1.0", "dynamodb", "DYNAMODB"),
    "events": Protocol("AWSEvents", "1.1", "events", "EVENTBRIDGE"),
    "secretsmanager": Protocol("secretsmanager", "1.1", "secretsmanager", "SECRETS_MANAGER"),
    "sqs": Protocol("AmazonSQS", "1.0", "sqs", "SQS"),
}

BAD_STATUS: Final = 300

# botocore's names for the errors of a corrupted response.
CHECKSUM: Final = "ChecksumError"
UNREADABLE: Final = "ResponseParserError"
_CRC32_HEADER: Final = b"x-amz-crc32:"
CODE_HEADER: Final = b"x-amzn-query-error:"  # SQS's own code, then `;Sender`: the code of its older protocol


def call(service: str, operation: str, request: JsonMapping) -> JsonObject:
    """Make a request, again if it may succeed then; `operation` is written as in boto3: `update_item`.

    Raises:
        CallFailed: AWS refused it, or did not respond at any of `retries.ATTEMPTS` attempts.

    """
    if operation == "transact_write_items":  # so that an attempt whose response was lost does not count twice
        request = {"ClientRequestToken": os.urandom(16).hex(), **request}
    body = orjson.dumps(request)
    return until_done(lambda: _request(service, operation, body), _content)


@cache
def endpoint(service: str) -> str:
    """Return the URL of a service: a configured one by the SDKs' variables, else the region's."""
    protocol = PROTOCOLS[service]
    return endpoint_of(protocol.host, protocol.variable)


def operation_of(method: str) -> str:
    """Return the operation that a method of boto3's calls: `UpdateItem` for `update_item`."""
    return "".join(word.capitalize() for word in method.split("_"))


@cache
def _headers(service: str, operation: str) -> tuple[str, ...]:
    """Return the headers of an operation; `Expect` and `Accept` stay away, for libcurl would sign and send them."""
    protocol = PROTOCOLS[service]
    content_type = f"Content-Type: application/x-amz-json-{protocol.version}"
    return (content_type, f"X-Amz-Target: {protocol.target}.{operation_of(operation)}", "Expect:", "Accept:")


def _request(service: str, operation: str, body: bytes) -> Request:
    signing = f"aws:amz:{region()}:{service}"
    return Request(endpoint(service), signing, credentials(), _headers(service, operation), body)


def _content(response: Response) -> JsonObject:
    """Return the content of a response.

    Raises:
        CallFailed: it is not whole, or an error.

    """
    if response.failed:
        raise CallFailed(response.failed)
    _require_checksum(response)
    content = _object(response.body)
    if response.status < BAD_STATUS and content is not None:
        return content
    if response.status < BAD_STATUS:
        raise CallFailed(UNREADABLE)
    content = content or {}
    code, message = _code(response, content), content.get("message", content.get("Message", ""))
    raise CallFailed(code, {**content, "Error": {"Code": code, "Message": message}})


def _require_checksum(response: Response) -> None:
    """Compare DynamoDB's checksum: a proxy or a disk between us and AWS may change a byte."""
    expected = header_in(response, _CRC32_HEADER)
    if expected and expected != str(zlib.crc32(response.body)):
        raise CallFailed(CHECKSUM)


def _object(body: bytes) -> JsonObject | None:
    """Return the JSON object that a body is, None if it is none."""
    try:
        content = orjson.loads(body)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def _code(response: Response, content: JsonMapping) -> str:
    """Return the code of an error, of which there are three forms: `Code`, `name.space#Code`, `Code:http://…`."""
    written = str(content.get("__type", response.status))
    older = header_in(response, CODE_HEADER)
    return older.partition(";")[0] if older else plain_code(written)


def plain_code(written: str) -> str:
    """Return a code without its namespace and its address."""
    return written.partition(":")[0].rpartition("#")[2]


def header_in(response: Response, name: bytes) -> str:
    """Return the value of a header, empty if there is none; name: in small letters, with its colon."""
    for header in response.headers:
        if header[: len(name)].lower() == name:
            return header[len(name) :].strip().decode("latin-1")
    return ""
