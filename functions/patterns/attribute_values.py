"""DynamoDB's typed attribute values <-> plain Python; `Decimal` stops here."""

from collections.abc import Mapping
from decimal import Decimal, DecimalException
from typing import Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from patterns.errors import Poison

Item = dict[str, Any]
Typed = dict[str, dict[str, Any]]


class _Deserializer(TypeDeserializer):  # type: ignore[misc]  # boto3 has no types
    def _deserialize_n(self, value: str) -> int | float:
        number = Decimal(value)
        return int(number) if number == number.to_integral_value() else float(number)


_serialize = TypeSerializer().serialize
_deserialize = _Deserializer().deserialize


def to_typed(item: Mapping[str, Any]) -> Typed:
    """Turn plain values into DynamoDB's.

    Raises:
        Poison: a value has no form there (NaN, too many digits, an unknown type, too deep).

    """
    try:
        return {name: _serialize(_without_floats(value)) for name, value in item.items()}
    except (TypeError, DecimalException, RecursionError) as error:
        raise Poison("a value cannot be stored") from error


def to_plain(typed: Mapping[str, Any]) -> Item:
    """Turn DynamoDB's values into plain ones: numbers become int where they are whole, else float."""
    return {name: _deserialize(value) for name, value in typed.items()}


def _without_floats(value: Any) -> Any:  # noqa: ANN401  attribute values are any
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, Mapping):
        return {name: _without_floats(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_without_floats(member) for member in value]
    return value
