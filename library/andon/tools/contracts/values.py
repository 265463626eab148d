"""Other values than the one that a member has: what a publisher might say instead. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any, Final

from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.runtime.json_types import JsonObject
from andon.tools.contracts.members import alternatives_of

NULL: Final = "null"
KINDS: Final[Mapping[str, Any]] = {
    NULL: None,
    "a text": "text",
    "a number": 7,
    "a truth value": True,
    "a list": [],
    "an object": {},
}
"""A value of each kind that JSON has, by its name."""

FRACTION: Final = "a fraction"
ANOTHER_TEXT: Final = "another text"
MORE: Final = "a member that is not known"

_UTC: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


def kind_of(value: object) -> str:
    """Return the kind of a value."""
    for kind, types in _TYPES.items():
        if isinstance(value, types):
            return kind
    raise TypeError(f"{type(value).__name__} is nothing in JSON")


_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {  # a truth value is an int, too
    NULL: type(None),
    "a text": str,
    "a truth value": bool,
    "a number": (int, float),
    "a list": list,
    "an object": dict,
}


def literals_of(schema: JsonObject) -> list[Any]:
    """Return the values that a schema lists."""
    return [value for one in alternatives_of(schema) for value in one.get("enum", ())]


def literal(value: object) -> str:
    """Return the name of a value that a schema lists."""
    return json.dumps(value, ensure_ascii=False)


def others(value: Any, schema: JsonObject) -> dict[str, Any]:  # noqa: ANN401  any JSON
    """Return other values, by names: of each other kind, near ones of its own, and those that its schema lists."""
    kind = kind_of(value)
    of_kinds = {name: one for name, one in KINDS.items() if name != kind}
    listed = {literal(one): one for one in literals_of(schema) if one != value}
    return {**of_kinds, **dict(_near(value)), **listed}


def _near(value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    match value:
        case bool():
            yield "the other truth value", not value
        case str():
            yield from _near_text(value)
        case int() | float():
            yield from (("one more", value + 1), ("one less", value - 1), ("zero", 0), (FRACTION, value + 0.5))
        case list():
            yield "an empty list", []
        case dict():
            yield from (("an empty object", {}), (MORE, {**value, "notKnown": "text"}))


def _near_text(value: str) -> Iterator[tuple[str, str]]:
    yield "an empty text", ""
    if _UTC.fullmatch(value):
        yield "another time", times.to_utc(times.to_ms(value) + 61_000)
        yield "a time without milliseconds", f"{value[:-5]}Z"
    elif _DAY.fullmatch(value):
        yield "another day", times.to_utc(times.to_ms(f"{value}T00:00:00.000Z") + DAY_MS)[:10]
    yield ANOTHER_TEXT, f"{value[:-1]}{_next(value[-1:])}"


def _next(character: str) -> str:
    """Return another character of the same kind, so that the text is one of the same form."""
    for kind in (ascii_lowercase[:6], ascii_lowercase, ascii_uppercase, digits):  # hexadecimal digits, first
        if character and character in kind:
            return kind[(kind.index(character) + 1) % len(kind)]
    return "x"
