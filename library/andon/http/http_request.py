"""The event of API Gateway -> the body of a request, or a clear refusal."""

import base64
import binascii
from collections import Counter
from typing import Any, Final
from urllib.parse import parse_qsl

from andon.runtime import strict_json
from andon.runtime.errors import FieldError, Invalid
from andon.runtime.json_types import JsonMapping

# A hundred reports with details of 4 KB fit; API Gateway itself takes up to 10 MB.
MAX_BODY_BYTES = 512 * 1024

JSON: Final = "application/json"


def text_of(event: JsonMapping) -> str | None:
    """Return the body of a request as text, None if it has none.

    Raises:
        Invalid: it is not UTF-8, too large, or not sent as JSON.

    """
    body = event.get("body")
    if not body:
        return None
    if event.get("isBase64Encoded"):
        body = _decoded(body)
    if len(body.encode(errors="replace")) > MAX_BODY_BYTES:
        raise Invalid.field("body", f"is over {MAX_BODY_BYTES} bytes")
    media_type = (event.get("headers") or {}).get("content-type", JSON).partition(";")[0].strip().lower()
    if media_type != JSON:
        raise Invalid.field("header.content-type", f"must be {JSON}")
    return str(body)


def parse(text: str) -> Any:  # noqa: ANN401  JSON is any
    """Return the value of a body.

    Raises:
        Invalid: it is not JSON, or not JSON that we could store.

    """
    try:
        return strict_json.loads(text)
    except ValueError as error:
        raise Invalid.field("body", f"is not valid JSON: {error}") from error


def require_single(raw_query: str) -> None:
    """Check that no parameter came twice: API Gateway joins its values.

    Raises:
        Invalid: some did.

    """
    if not raw_query:
        return
    names = [name for name, _ in parse_qsl(raw_query, keep_blank_values=True)]
    repeated = sorted({name for name, times in Counter(names).items() if times > 1})
    if repeated:
        fields = tuple(FieldError(f"query.{name}", "may be given once") for name in repeated)
        raise Invalid("The request is invalid.", fields=fields)


def _decoded(body: str) -> str:
    try:
        return base64.b64decode(body, validate=True).decode()
    except (binascii.Error, ValueError):
        raise Invalid.field("body", "is not UTF-8") from None
