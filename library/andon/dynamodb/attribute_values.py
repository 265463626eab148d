"""DynamoDB's typed attribute values <-> plain Python; `Decimal` stops here."""

from binascii import b2a_base64
from collections.abc import Callable, Iterable, Mapping
from decimal import Clamped, Context, Decimal, DecimalException, Inexact, Overflow, Rounded, Subnormal, Underflow
from typing import Any, Final

from andon.runtime.errors import Poison
from andon.runtime.strict_json import GREATEST, MAX_DIGITS

Item = dict[str, Any]
"""A row, as plain values by the names of its attributes."""

Attributes = Mapping[str, Any]
"""Some attributes of a row, or its primary key."""

Typed = dict[str, dict[str, Any]]
"""The same as DynamoDB types them."""

_NUMBERS: Final = Context(  # the range of `strict_json`
    prec=MAX_DIGITS, Emin=-130, Emax=125, traps=[Clamped, Inexact, Overflow, Rounded, Subnormal, Underflow]
)
_MAX_INTEGER: Final = 10**MAX_DIGITS - 1

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html: 32 levels of nested attributes.
MAX_DEPTH: Final = 32


def to_typed(item: Attributes) -> Typed:
    """Return DynamoDB's values of plain ones, which are those of JSON.

    Raises:
        Poison: DynamoDB has no such value (NaN, too many digits, an unknown type, nested deeper than 32).

    """
    return typed_pairs(item.items())


def typed_pairs(pairs: Iterable[tuple[str, Any]]) -> Typed:
    """Return DynamoDB's values of named plain ones.

    Raises:
        Poison: see `to_typed`.

    """
    try:
        # Nearly all values are text.
        return {name: {"S": value} if type(value) is str else _typed(value) for name, value in pairs}
    except (TypeError, DecimalException) as error:
        raise Poison("a value cannot be stored") from error


def to_plain(typed: Attributes) -> Item:
    """Return plain values of DynamoDB's: int or float of numbers, lists of sets, base64 of binaries.

    A number is an int if it is whole and has no more than 38 digits; as JSON it is one that `strict_json` reads.
    """
    # Nearly all values are text.
    return {name: value["S"] if "S" in value else _plain(value) for name, value in typed.items()}


def _typed(value: Any, room: int = MAX_DEPTH) -> Item:  # noqa: ANN401, PLR0911  attribute values are any; one return for each type
    if type(value) is int and -_MAX_INTEGER <= value <= _MAX_INTEGER:  # nearly all others are times
        return {"N": str(value)}
    match value:
        case str():
            return {"S": value}
        case bool():  # before int: a bool is an int, too
            return {"BOOL": value}
        case int() | float():
            return {"N": _number_text(value)}
        case None:
            return {"NULL": True}
        case Mapping() if room:
            return {"M": {name: _typed(member, room - 1) for name, member in value.items()}}
        case list() | tuple() if room:
            return {"L": [_typed(member, room - 1) for member in value]}
    raise TypeError(f"{type(value).__name__} has no form in DynamoDB")


def _number_text(value: float) -> str:
    number = _NUMBERS.create_decimal(repr(value))
    if not number.is_finite():
        raise TypeError(f"{number} is no number in DynamoDB")
    return str(number)


def _plain(typed: Attributes) -> Any:  # noqa: ANN401  attribute values are any
    ((kind, value),) = typed.items()
    return _PLAIN[kind](value)


def _number(text: str) -> int | float:
    if text.isdecimal() and len(text) <= MAX_DIGITS:  # nearly all are times
        return int(text)
    number = Decimal(text)
    if -_MAX_INTEGER <= number <= _MAX_INTEGER and number == number.to_integral_value():
        return int(number)
    return max(-GREATEST, min(float(number), GREATEST))  # of the greatest the nearest float is one digit more


def _text(binary: bytes | str) -> str:
    return binary if isinstance(binary, str) else b2a_base64(binary, newline=False).decode()


def _itself(value: Any) -> Any:  # noqa: ANN401  as above
    return value


_PLAIN: Final[Mapping[str, Callable[[Any], Any]]] = {
    "S": _itself,
    "N": _number,
    "BOOL": _itself,
    "NULL": lambda _: None,
    "M": to_plain,
    "L": lambda members: [_plain(member) for member in members],
    # We write no sets and no binaries, but people do, in the console; the stream's image must still become JSON.
    "B": _text,
    "SS": sorted,
    "NS": lambda texts: sorted(map(_number, texts)),
    "BS": lambda binaries: sorted(map(_text, binaries)),
}
