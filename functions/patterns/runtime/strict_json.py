"""JSON from strangers: what DynamoDB, EventBridge or Python could not carry on is refused here, with `ValueError`."""

import json
from typing import Any, NoReturn

# DynamoDB keeps 38 digits from 1E-130 to 1E+126: whoever sends more does not mean a number.
MAX_DIGITS = 38
SMALLEST, GREATEST = 1e-100, 1e100


def loads(text: str) -> Any:  # noqa: ANN401  JSON is any
    """Parse `text`.

    Raises:
        ValueError: malformed JSON, NaN, Infinity, a huge number, a lone surrogate, too deep nesting.

    """
    _require_unicode(text)
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if "\\u" in text:  # an escape can smuggle in what the text itself does not have
        _require_unicode(json.dumps(value, ensure_ascii=False))
    return value


def dumps(value: object) -> str:
    """Write compact JSON, keeping characters as they are: EventBridge counts UTF-8 bytes, and an escape costs six."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def canonical(value: object) -> str:
    """Write JSON that is the same for equal values, whatever the order of their members."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _require_unicode(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("not valid Unicode: a surrogate stands alone") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number has more than {MAX_DIGITS} digits")
    return int(digits)


def _real(digits: str) -> float:
    value = float(digits)
    if len(digits) > MAX_DIGITS or (value and not SMALLEST < abs(value) < GREATEST):
        raise ValueError("a number is out of range")
    return value


# One for all: `json.loads` makes a new one for every text that is to be read in a way of one's own.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_integer, parse_float=_real)
