"""The event of API Gateway -> the body of a request, or a clear refusal."""

import base64
import binascii
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, model_validator

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


# Base classes of the pydantic models of requests and responses.

MOST_UNKNOWN = 100
"""Unknown members that a refusal names one by one; each costs, and half a megabyte has room for tens of thousands."""

NOT_A_MODEL: Final = frozenset({"model_type", "model_attributes_type"})
"""Pydantic's types of the error that a value is no object; the second one where it may take attributes, too."""


class RequestModel(BaseModel):
    """Body of a request: without unknown members, and without values of another type.

    Its validator is built at first use: a process seldom serves all routes of its package.
    """

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _has_few_members(cls, body: Any) -> Any:  # noqa: ANN401  any JSON
        """Count the members before each of them is looked at."""
        if isinstance(body, dict) and len(body) > len(cls.model_fields) + MOST_UNKNOWN:
            raise ValueError(f"must have at most {len(cls.model_fields)} members, not {len(body)}")
        return body


class ResponseModel(BaseModel):
    """Response in the OpenAPI document. No request needs its validator, so that none is built."""

    model_config = ConfigDict(defer_build=True)


def fields_of(errors: Iterable[Mapping[str, Any]], *, below: str = "") -> tuple[FieldError, ...]:
    """Return pydantic's errors as offending fields; `below` comes before their places."""
    first = (below,) if below else ()
    return tuple(FieldError(".".join(map(str, (*first, *one["loc"]))), _detail_of(one)) for one in errors)


def _detail_of(error: Mapping[str, Any]) -> str:
    if error["type"] in NOT_A_MODEL:  # its words name our class, or how else one could be made
        return "must be an object"
    detail: str = error["msg"]
    return detail.removeprefix("Value error, ")
