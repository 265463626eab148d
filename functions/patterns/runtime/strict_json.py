"""JSON from clients: what DynamoDB, EventBridge or Python could not pass on is refused here, with `ValueError`."""

import json
from typing import Any, NoReturn

# DynamoDB keeps 38 digits from 1E-130 to 1E+126; ours are stricter by a margin.
MAX_DIGITS = 38
SMALLEST, GREATEST = 1e-100, 1e100

# DynamoDB nests 32 levels; what is deeper overflows the stack of botocore long before that of the decoder.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
MAX_DEPTH = 32
TOO_DEEP = f"nested deeper than {MAX_DEPTH}"

Container = dict[str, Any] | list[Any]


def loads(text: str) -> Any:  # noqa: ANN401  JSON is any
    """Return the value of `text`.

    Raises:
        ValueError: malformed JSON, NaN, Infinity, a huge number, a lone surrogate, more than `MAX_DEPTH` levels.

    """
    _require_unicode(text)
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    if text.count("{") + text.count("[") > MAX_DEPTH:  # else it cannot be too deep, and nearly nothing has so many
        _require_shallow(value)
    if "\\u" in text:  # an escape can be a lone surrogate, too
        _require_unicode(json.dumps(value, ensure_ascii=False))
    return value


def dumps(value: object) -> str:
    """Return compact JSON with characters as they are: EventBridge counts UTF-8 bytes, and an escape has six."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def canonical(value: object) -> str:
    """Return the same JSON for equal values, whatever the order of their members."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


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
    raise ValueError(TOO_DEEP)


def _containers(outer: Container) -> list[Container]:
    members = outer.values() if isinstance(outer, dict) else outer
    return [member for member in members if isinstance(member, dict | list)]


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


# One for all: `json.loads` with such arguments would build a new decoder for every text.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_integer, parse_float=_real)
