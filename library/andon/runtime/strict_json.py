"""JSON from clients: `ValueError` for anything that DynamoDB, EventBridge or Python could not pass on.

orjson does the work wherever it means the same, byte by byte. The standard library does what orjson refuses, so that
the answer has the words that it always had, and what orjson would change: integers beyond 64 bits, and floats.
"""

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, NoReturn, TypeGuard

import orjson

from andon.runtime.json_types import JsonObject

# DynamoDB keeps 38 digits, of magnitudes from 1E-130 to 9.9…E+125. What it keeps can be published, and read again.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
MAX_DIGITS = 38
SMALLEST, GREATEST = 1e-130, 9.999999999999998e125

# Some clients begin with one; a reader may ignore it: https://www.rfc-editor.org/rfc/rfc8259#section-8.1
BOM = "\ufeff"

# DynamoDB nests 32 levels; what is deeper overflows the stack of botocore long before that of the decoder.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
MAX_DEPTH = 32
_TOO_DEEP = f"nested deeper than {MAX_DEPTH}"

Container = JsonObject | list[Any]

# orjson reads and writes these exactly. A float is none of them: orjson reads one for an integer beyond 64 bits, drops
# digits of a number that has too many, and writes 1e+16 as 1e16.
EXACT = frozenset({str, int, bool, type(None)})


def loads(text: str) -> Any:  # noqa: ANN401  JSON is any
    """Return the value of `text`.

    Raises:
        ValueError: malformed JSON, NaN, Infinity, a huge number, a lone surrogate, more than `MAX_DEPTH` levels.

    """
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return _loads_strictly(text)
    return value if _is_exact((value,)) else _loads_strictly(text)


def dumps(value: object) -> str:
    """Return compact JSON with characters as they are: EventBridge counts UTF-8 bytes, and an escape has six."""
    return _dumps_exactly(value) or _ENCODER.encode(value)


def canonical(value: object) -> str:
    """Return the same JSON for equal values, in any order of their members."""
    return _dumps_exactly(value, orjson.OPT_SORT_KEYS) or _SORTING_ENCODER.encode(value)


def dumps_as_kept(value: object) -> str:
    """Return the same JSON for a value before it is stored, and as it comes back: DynamoDB returns 1 for 1.0."""
    return _dumps_exactly(value) or _ENCODER.encode(_evened(value))


def normalised(value: object) -> str:
    """Return the same JSON for equal values, 1.0 and 1 among them, for DynamoDB returns 1 for both."""
    return canonical(_evened(value))


def _evened(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _evened(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_evened(member) for member in value]
    if not isinstance(value, float) or not value.is_integer():
        return value
    whole = int(Decimal(repr(value)))  # the digits that are stored: of 1e23, those of the nearest float are others
    return whole if abs(whole) < 10**MAX_DIGITS else value


def _is_exact(members: Iterable[Any], room: int = MAX_DEPTH) -> bool:
    """Return True if orjson reads and writes these values exactly, and they nest in no more than `room` levels."""
    for member in members:
        kind = type(member)
        if kind is str or kind in EXACT:  # nearly all are text
            continue
        inner = member.values() if kind is dict else member if kind is list else None
        if inner is None or not room or not _is_exact(inner, room - 1):
            return False
    return True


def _dumps_exactly(value: object, option: int = 0) -> str | None:
    """Return JSON as orjson writes it; None: the standard library would write it in another way."""
    if not _is_exact((value,)):
        return None
    try:
        return orjson.dumps(value, option=option).decode()
    except TypeError:  # an integer beyond 64 bits, a key that is no text, a surrogate that stands alone
        return None


def _loads_strictly(text: str) -> Any:  # noqa: ANN401  as above
    """Return the value of `text` with every digit checked.

    Raises:
        ValueError: see `loads`.

    """
    _require_unicode(text)
    text = text.removeprefix(BOM)
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if text.count("{") + text.count("[") > MAX_DEPTH:  # else it cannot be too deep, and nearly nothing has so many
        _require_shallow(value)
    if "\\u" in text:  # an escape can be a lone surrogate, too
        _require_unicode(json.dumps(value, ensure_ascii=False))
    return value


def _require_unicode(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("not valid Unicode: a surrogate stands alone") from None


def _require_shallow(value: object) -> None:
    level = _containers([value])
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _containers(outer)]
        if not level:
            return
    raise ValueError(_TOO_DEEP)


def _containers(outer: Container) -> list[Container]:
    members = outer.values() if isinstance(outer, dict) else outer
    return [member for member in members if isinstance(member, dict | list)]


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> int:
    if len(digits.removeprefix("-")) > MAX_DIGITS:
        raise ValueError(f"a number has more than {MAX_DIGITS} digits")
    return int(digits)


def _real(digits: str) -> float:
    value, coefficient = float(digits), digits.lower().partition("e")[0]
    is_zero = not coefficient.strip("-0.")
    if len(digits) > MAX_DIGITS or not (is_zero or SMALLEST <= abs(value) <= GREATEST):
        raise ValueError("a number is out of range")
    return value


# One for all: `json.loads` and `json.dumps` with such arguments would build a new one each time.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_integer, parse_float=_real)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_SORTING_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


# Whole numbers in JSON and in rows.


def is_whole(value: object) -> TypeGuard[int]:
    """Return True if a value is a whole number; to Python, a bool is an int, too."""
    return type(value) is int
