"""AWS IoT's data plane: messages -> the topics of its broker.

https://docs.aws.amazon.com/iot/latest/apireference/API_iotdata_Publish.html
"""

from typing import Final
from urllib.parse import quote

import orjson

from andon.runtime.errors import CallFailed
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.wire.aws_json import BAD_STATUS, endpoint_of, header_in, plain_code, until_done
from andon.wire.credentials import credentials, region
from andon.wire.curl import Request, Response

HOST: Final = "data-ats.iot"
VARIABLE: Final = "IOT_DATA_PLANE"
_SIGNED_AS: Final = "iotdata"
CODE_HEADER: Final = b"x-amzn-errortype:"
# `Expect` and `Accept` stay away, for libcurl would sign and send them.
HEADERS: Final = ("Content-Type: application/octet-stream", "Expect:", "Accept:")


def call(service: str, operation: str, request: JsonMapping) -> JsonObject:
    """Publish a message, again if it may be taken then: `topic`, `payload` (bytes) and `qos`.

    Raises:
        CallFailed: AWS refused it, or did not respond at any of `retries.ATTEMPTS` attempts.

    """
    if operation != "publish":
        raise NotImplementedError(f"{service}.{operation}")
    # As the SDKs write it: a topic is one part of the path, its slashes encoded.
    url = f"{endpoint_of(HOST, VARIABLE)}/topics/{quote(request['topic'], safe='')}?qos={request['qos']}"
    signing = f"aws:amz:{region()}:{_SIGNED_AS}"
    return until_done(lambda: Request(url, signing, credentials(), HEADERS, request["payload"]), _content)


def _content(response: Response) -> JsonObject:
    """Return the content of a response, which is empty.

    Raises:
        CallFailed: it is not whole, or an error.

    """
    if response.failed:
        raise CallFailed(response.failed)
    if response.status < BAD_STATUS:
        return {}
    code = plain_code(header_in(response, CODE_HEADER)) or str(response.status)
    raise CallFailed(code, {"Error": {"Code": code, "Message": _message(response.body)}})


def _message(body: bytes) -> str:
    try:
        said = orjson.loads(body)
    except ValueError:
        return ""
    return str(said.get("message", "")) if isinstance(said, dict) else ""
