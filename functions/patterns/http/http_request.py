"""The event of API Gateway -> an event that Powertools can route and parse, or a clear refusal."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from patterns.runtime import strict_json
from patterns.runtime.errors import Invalid

# A hundred reports with details of 4 KB fit; API Gateway itself takes up to 10 MB.
MAX_BODY_BYTES = 512 * 1024


def routable(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the event with the path of `routeKey` as `rawPath`, and with its body decoded.

    The gateway has matched the route already. The path itself arrives decoded: an id with `#` or `?` in it would match
    no pattern of Powertools.

    Raises:
        Invalid: the body is not UTF-8, too large, or not sent as JSON.

    """
    _, _, path = event["routeKey"].partition(" ")
    return {**event, "rawPath": path, "body": _body(event), "isBase64Encoded": False}


def parse(text: str) -> Any:  # noqa: ANN401  JSON is any
    """Return the value of a body.

    Raises:
        Invalid: it is not JSON, or not JSON that we could store.

    """
    try:
        return strict_json.loads(text)
    except ValueError as error:
        raise Invalid.field("body", f"is not valid JSON: {error}") from error


def _body(event: Mapping[str, Any]) -> str | None:
    body = event.get("body")
    if not body:
        return None
    if event.get("isBase64Encoded"):
        try:
            body = base64.b64decode(body, validate=True).decode()
        except (binascii.Error, ValueError):
            raise Invalid.field("body", "is not UTF-8") from None
    if len(body.encode(errors="replace")) > MAX_BODY_BYTES:
        raise Invalid.field("body", f"is over {MAX_BODY_BYTES} bytes")
    media_type = event.get("headers", {}).get("content-type", "application/json").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise Invalid.field("header.content-type", "must be application/json")
    return str(body)
