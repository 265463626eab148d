"""DynamoDB's typed attribute values <-> plain Python; `Decimal` stops here."""

from base64 import b64encode
from collections.abc import Mapping
from decimal import Decimal, DecimalException
from typing import Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from patterns.runtime.errors import Poison

Item = dict[str, Any]
Typed = dict[str, dict[str, Any]]


class _Deserializer(TypeDeserializer):  # type: ignore[misc]  # boto3 has no types
    def _deserialize_n(self, value: str) -> int | float:
        number = Decimal(value)
        return int(number) if number == number.to_integral_value() else float(number)

    # Nothing here writes sets or binaries, but people do, in the console; an image with one must still become JSON.
    def _deserialize_b(self, value: bytes | str) -> str:
        return value if isinstance(value, str) else b64encode(value).decode()

    def _deserialize_ss(self, value: list[str]) -> list[str]:
        return sorted(value)

    def _deserialize_ns(self, value: list[str]) -> list[int | float]:
        return sorted(map(self._deserialize_n, value))

    def _deserialize_bs(self, value: list[bytes | str]) -> list[str]:
        return sorted(map(self._deserialize_b, value))


# DynamoDB keeps 38 digits; what has more is left to boto3 to refuse.
_MAX_INTEGER = 10**38 - 1

_serialize = TypeSerializer().serialize
_deserialize = _Deserializer().deserialize


def to_typed(item: Mapping[str, Any]) -> Typed:
    """Turn plain values into DynamoDB's.

    Raises:
        Poison: a value has no form there (NaN, too many digits, an unknown type, too deep).

    """
    try:
        return {name: _typed(value) for name, value in item.items()}
    except (TypeError, DecimalException, RecursionError) as error:
        raise Poison("a value cannot be stored") from error


def to_plain(typed: Mapping[str, Any]) -> Item:
    """Turn DynamoDB's values into plain ones: numbers to int or float, sets to lists, binaries to base64."""
    return {name: _deserialize(value) for name, value in typed.items()}


def _typed(value: Any) -> dict[str, Any]:  # noqa: ANN401  attribute values are any
    if type(value) is str:  # as nearly every value is; boto3 asks for ten other types first
        return {"S": value}
    if type(value) is int and abs(value) <= _MAX_INTEGER:
        return {"N": str(value)}
    typed: dict[str, Any] = _serialize(_without_floats(value))
    return typed


def _without_floats(value: Any) -> Any:  # noqa: ANN401  attribute values are any
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, Mapping):
        return {name: _without_floats(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_without_floats(member) for member in value]
    return value
