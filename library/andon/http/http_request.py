"""The event of API Gateway -> an event that Powertools can route and parse, or a clear refusal."""

import base64
import binascii
from collections import Counter
from typing import Any, Final
from urllib.parse import parse_qsl

from andon.runtime import strict_json
from andon.runtime.errors import FieldError, Invalid
from andon.runtime.json_types import JsonMapping, JsonObject

# A hundred reports with details of 4 KB fit; API Gateway itself takes up to 10 MB.
MAX_BODY_BYTES = 512 * 1024

JSON: Final = "application/json"


def routable(event: JsonMapping) -> JsonObject:
    """Return the event with the path of `routeKey` as `rawPath`, and with its body decoded.

    The gateway has matched the route already. The path itself arrives decoded: an id with `#` in it would match no
    pattern of Powertools. The content type is checked here: Powertools would fail for one in other letters
    (`application/JSON`), and for any other type without a body.

    Raises:
        Invalid: the body is not UTF-8, too large, or not sent as JSON; or a parameter of the query came twice.

    """
    _require_single(event.get("rawQueryString", ""))
    _, _, path = event["routeKey"].partition(" ")
    headers = {**event.get("headers", {}), "content-type": JSON}
    return {**event, "rawPath": path, "headers": headers, "body": _body(event), "isBase64Encoded": False}


def parse(text: str) -> Any:  # noqa: ANN401  JSON is any
    """Return the value of a body.

    Raises:
        Invalid: it is not JSON, or not JSON that we could store.

    """
    try:
        return strict_json.loads(text)
    except ValueError as error:
        raise Invalid.field("body", f"is not valid JSON: {error}") from error


def _require_single(raw_query: str) -> None:
    """Check that no parameter came twice: Powertools would make a list of its values."""
    names = [name for name, _ in parse_qsl(raw_query, keep_blank_values=True)]
    repeated = sorted({name for name, times in Counter(names).items() if times > 1})
    if repeated:
        fields = tuple(FieldError(f"query.{name}", "may be given once") for name in repeated)
        raise Invalid("The request is invalid.", fields=fields)


def _body(event: JsonMapping) -> str | None:
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
    media_type = event.get("headers", {}).get("content-type", JSON).partition(";")[0].strip().lower()
    if media_type != JSON:
        raise Invalid.field("header.content-type", f"must be {JSON}")
    return str(body)
