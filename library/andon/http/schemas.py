"""JSON Schemas of the values that clients send, for the OpenAPI document."""

from typing import Any, Final

from andon.runtime.texts import MAX_ID_CHARACTERS, RELATIVE

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
