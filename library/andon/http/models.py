"""Base classes of the pydantic models of requests and responses, and JSON Schemas of texts in them."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, model_validator

from andon.runtime.errors import FieldError
from andon.runtime.texts import MAX_ID_CHARACTERS, RELATIVE

_MOST_UNKNOWN = 100
"""Unknown members that a refusal names one by one; each costs, and half a megabyte has room for tens of thousands."""

_NOT_A_MODEL: Final = frozenset({"model_type", "model_attributes_type"})
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
        if isinstance(body, dict) and len(body) > len(cls.model_fields) + _MOST_UNKNOWN:
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
    if error["type"] in _NOT_A_MODEL:  # its words name our class, or how else one could be made
        return "must be an object"
    detail: str = error["msg"]
    return detail.removeprefix("Value error, ")


# JSON Schemas of the values that clients send, for the OpenAPI document.

Schema = dict[str, Any]

# Of an identifier, see `texts.identifier`: no control, format or unassigned character, no separator but a space within.
_INK: Final = r"[^/?%\p{C}\p{Z}]"
PART_INK: Final = r"[^/?%#\p{C}\p{Z}]"


def named(ink: str) -> str:
    """Return the pattern of an identifier of these characters, which may have spaces within."""
    return f"{ink}(?:(?:{ink}| ){{0,{MAX_ID_CHARACTERS - 2}}}{ink})?"


def _name(ink: str) -> Schema:
    return {
        "type": "string",
        "minLength": 1,
        "maxLength": MAX_ID_CHARACTERS,
        "pattern": f"^{named(ink)}$",
        "not": {"enum": sorted(RELATIVE)},
    }


# Of a text, see `texts.line`; that joiners and tags join something is left to the validation.
_WRITTEN: Final = "[^\\p{C}]|[\\u200c\\u200d\U000e0030-\U000e007f]"


def line(longest: int) -> Schema:
    """Return the schema of `texts.line`; that it is not blank is left to the validation, too."""
    return {"type": "string", "minLength": 1, "maxLength": longest, "pattern": f"^(?:{_WRITTEN})+$"}


def lines(longest: int) -> Schema:
    """Return the schema of `texts.lines`."""
    return {"type": "string", "maxLength": longest, "pattern": rf"^(?:{_WRITTEN}|[\t\n\r])*$"}


IDENTIFIER: Final = _name(_INK)
WORD: Final[Schema] = {**IDENTIFIER, "pattern": f"^{_INK}{{1,{MAX_ID_CHARACTERS}}}$"}
PART: Final = _name(PART_INK)
TIME: Final[Schema] = {"type": "string", "format": "date-time"}
DATE: Final[Schema] = {"type": "string", "format": "date"}
TIME_OR_DATE: Final[Schema] = {"type": "string", "anyOf": [{"format": "date-time"}, {"format": "date"}]}
NUMBER: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": 999_999_999}
TEXT: Final[Schema] = {"type": "string"}

PERSONAL_DATA: Final = "x-personal-data"
"""Keyword of a request's text that takes any words: whether it says who somebody is."""

IMPERSONAL: Final[Schema] = {PERSONAL_DATA: "no"}
MAY_NAME_SOMEBODY: Final[Schema] = {PERSONAL_DATA: "possible"}
"""Of free texts."""
PERSONAL: Final[Schema] = {PERSONAL_DATA: "yes"}
