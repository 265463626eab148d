"""Condition expressions on rows in this process: those that our code writes; `NotImplementedError` for all others."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any

from andon.dynamodb.attribute_values import Typed

Request = Mapping[str, Any]
_Holds = Callable[[Typed, Request], bool]

_TOKEN = re.compile(r"[#:\w.]+|<=|>=|<>|[()<>=,]")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda one, other: one == other,
    "<>": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}


@cache
def condition(expression: str) -> _Holds:
    """Compile comparisons, IN, `contains` of lists and existence of attributes, with AND, OR and parentheses."""
    tokens = _TOKEN.findall(expression)[::-1]
    if "".join(tokens[::-1]) != expression.replace(" ", ""):
        raise NotImplementedError(expression)
    holds = _either(tokens)
    if tokens:
        raise NotImplementedError(expression)
    return holds


def _either(tokens: list[str]) -> _Holds:
    one = _both(tokens)
    if not tokens or tokens[-1] != "OR":
        return one
    tokens.pop()
    other = _either(tokens)
    return lambda row, request: one(row, request) or other(row, request)


def _both(tokens: list[str]) -> _Holds:
    one = _single(tokens)
    if not tokens or tokens[-1] != "AND":
        return one
    tokens.pop()
    other = _both(tokens)
    return lambda row, request: one(row, request) and other(row, request)


def _single(tokens: list[str]) -> _Holds:
    first = tokens.pop()
    if first == "(":
        inner = _either(tokens)
        _expect(tokens, ")")
        return inner
    if first in {"attribute_exists", "attribute_not_exists"}:
        return _existence(tokens, exists=first == "attribute_exists")
    if first == "contains":
        return _contains(tokens)
    comparison = tokens.pop()
    if comparison == "IN":
        return _among(first, tokens)
    return _comparison(first, _COMPARE[comparison], tokens.pop())


def _existence(tokens: list[str], *, exists: bool) -> _Holds:
    _expect(tokens, "(")
    place = tokens.pop()
    _expect(tokens, ")")
    return lambda row, request: (_name(place, request) in row) == exists


def _among(place: str, tokens: list[str]) -> _Holds:
    _expect(tokens, "(")
    values = [tokens.pop()]
    while tokens[-1] == ",":
        tokens.pop()
        values.append(tokens.pop())
    _expect(tokens, ")")
    among = [_comparison(place, _COMPARE["="], value) for value in values]
    return lambda row, request: any(one(row, request) for one in among)


def _contains(tokens: list[str]) -> _Holds:
    _expect(tokens, "(")
    place = tokens.pop()
    _expect(tokens, ",")
    value = tokens.pop()
    _expect(tokens, ")")
    return lambda row, request: (
        request["ExpressionAttributeValues"][value] in row.get(_name(place, request), {}).get("L", [])
    )


def _comparison(place: str, compare: Callable[[Any, Any], bool], value: str) -> _Holds:
    def holds(row: Typed, request: Request) -> bool:
        one = _at(row, place, request)
        other = request["ExpressionAttributeValues"][value]
        if compare in {_COMPARE["="], _COMPARE["<>"]} and "N" not in other:
            return compare(one, other)
        # A value of another type, or none at all, makes every comparison false.
        return one.keys() == other.keys() and compare(comparable(one), comparable(other))

    return holds


def _at(row: Typed, path: str, request: Request) -> Any:  # noqa: ANN401  a typed value
    """Return the value at a path, as `#a` or `#a.#b`; an empty one where there is none."""
    first, *deeper = path.split(".")
    value: Any = row.get(_name(first, request), {})
    for place in deeper:
        value = value.get("M", {}).get(_name(place, request), {})
    return value


def _name(place: str, request: Request) -> str:
    return str(request["ExpressionAttributeNames"][place]) if place.startswith("#") else place


def comparable(value: dict[str, Any]) -> Any:  # noqa: ANN401  text sorts by code point, as its UTF-8 bytes do
    """Return a typed text or number as a value that sorts as DynamoDB sorts it."""
    ((kind, text),) = value.items()
    if kind not in {"S", "N"}:
        raise NotImplementedError(kind)
    return Decimal(text) if kind == "N" else text


def _expect(tokens: list[str], token: str) -> None:
    if tokens.pop() != token:
        raise NotImplementedError(token)
