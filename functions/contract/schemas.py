"""JSON Schemas of the values that clients send, for the OpenAPI document."""

from typing import Any, Final

from contract import names
from contract.locations import LEVELS, MAX_PART_CHARACTERS

Schema = dict[str, Any]

# `str.isprintable`: no control, format or unassigned characters, and no separator but the space.
_PRINTABLE: Final = r"(?:[^/\p{C}\p{Z}]| )"
_PRINTABLE_PART: Final = r"(?:[^/#\p{C}\p{Z}]| )"
_LOCATION_PART: Final = f"{_PRINTABLE_PART}{{1,{MAX_PART_CHARACTERS}}}"


def _text(longest: int, character: str) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": longest, "pattern": f"^{character}+$"}


IDENTIFIER: Final = _text(names.MAX_ID_CHARACTERS, _PRINTABLE)
PART: Final = _text(names.MAX_ID_CHARACTERS, _PRINTABLE_PART)
LOCATION_PART: Final = _text(MAX_PART_CHARACTERS, _PRINTABLE_PART)
LOCATION: Final[Schema] = {
    "type": "string",
    "pattern": f"^{_LOCATION_PART}(?:/{_LOCATION_PART}){{0,{len(LEVELS) - 1}}}$",
}
STATE: Final[Schema] = {"type": "string", "pattern": names.STATE_PATTERN}
STATE_FILTER: Final[Schema] = {"type": "string", "pattern": names.STATE_PATTERN.removesuffix("$") + r"\*?$"}
TIME: Final[Schema] = {"type": "string", "format": "date-time"}
DATE: Final[Schema] = {"type": "string", "format": "date"}
TIME_OR_DATE: Final[Schema] = {"type": "string", "anyOf": [{"format": "date-time"}, {"format": "date"}]}
NUMBER: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": 999_999_999}
VERSION: Final[Schema] = {"type": "string", "pattern": '^"[1-9][0-9]{0,14}"$'}
TEXT: Final[Schema] = {"type": "string"}
