"""DynamoDB's expressions on rows in this process: those that our code writes; `NotImplementedError` for all others."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

from andon.dynamodb.attribute_values import Typed

Request = Mapping[str, Any]
Holds = Callable[[Typed, Request], bool]

_TOKEN = re.compile(r"[#:\w.]+|<=|>=|<>|[()<>=,]")
_UPDATE = re.compile(r"(SET #\w+ = :\w+(, #\w+ = :\w+)*)?( ?REMOVE #\w+(, #\w+)*)?( ?ADD #\w+ :\w+)?")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda one, other: one == other,
    "<>": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}
_SORTS: dict[str, Callable[[Any, Any, Any], bool]] = {
    "#p = :p": lambda *_: True,
    "#p = :p AND begins_with(#s, :s)": lambda sort, first, _: bool(sort.startswith(first)),
    "#p = :p AND #s BETWEEN :s AND :t": lambda sort, first, last: bool(first <= sort <= last),
    "#p = :p AND #s < :s": lambda sort, bound, _: bool(sort < bound),
    "#p = :p AND #s > :s": lambda sort, bound, _: bool(sort > bound),
}
_RANGES: dict[str, Callable[[Sequence[str], str, str], slice]] = {
    "#p = :p": lambda *_: slice(None),
    "#p = :p AND begins_with(#s, :s)": lambda order, first, _: slice(
        bisect_left(order, first), bisect_right(order, first, key=lambda sort: sort[: len(first)])
    ),
    "#p = :p AND #s BETWEEN :s AND :t": lambda order, first, last: slice(
        bisect_left(order, first), bisect_right(order, last)
    ),
    "#p = :p AND #s < :s": lambda order, bound, _: slice(bisect_left(order, bound)),
    "#p = :p AND #s > :s": lambda order, bound, _: slice(bisect_right(order, bound), None),
}


def key_condition(request: Request) -> Callable[[Typed], bool]:
    """Return the condition of a query on sort keys."""
    if request["KeyConditionExpression"] not in _SORTS:
        raise NotImplementedError(request["KeyConditionExpression"])
    holds, values = _SORTS[request["KeyConditionExpression"]], request["ExpressionAttributeValues"]
    first, last = (_comparable(values[place]) if place in values else None for place in (":s", ":t"))
    return lambda sort: holds(_comparable(sort), first, last)


def key_range(order: Sequence[str], request: Request, bounds: Sequence[str]) -> slice:
    """Return where a query's sort keys lie among those of a partition; bounds: as they are in that order."""
    first, last = [*bounds, "", ""][:2]
    return _RANGES[request["KeyConditionExpression"]](order, first, last)


def assigned_in(request: Request) -> set[str]:
    """Return the attributes that an update sets, removes or adds to."""
    names = request["ExpressionAttributeNames"]
    return {names[place] for place in re.findall(r"#\w+", request["UpdateExpression"])}


def updated(row: Typed, request: Request) -> Typed:
    """Return a row after `SET #a = :a, … REMOVE #b, … ADD #c :c`; each may be missing."""
    if not _UPDATE.fullmatch(request["UpdateExpression"]):
        raise NotImplementedError(request["UpdateExpression"])
    row = dict(row)
    rest, _, added = request["UpdateExpression"].partition("ADD ")
    sets, _, removes = rest.removeprefix("SET ").partition("REMOVE ")
    names, values = request["ExpressionAttributeNames"], request.get("ExpressionAttributeValues", {})
    for assignment in sets.strip().split(", ") if sets else ():
        place, value = assignment.split(" = ")
        row[names[place]] = values[value]
    for place in removes.strip().split(", ") if removes else ():
        row.pop(names[place], None)
    if added:
        place, value = added.split(" ")
        row[names[place]] = {"N": str(int(row.get(names[place], {"N": "0"})["N"]) + int(values[value]["N"]))}
    return row


@cache
def condition(expression: str) -> Holds:
    """Compile comparisons, IN, `contains` of lists, and whether an attribute exists, with AND, OR and parentheses."""
    tokens = _TOKEN.findall(expression)[::-1]
    if "".join(tokens[::-1]) != expression.replace(" ", ""):
        raise NotImplementedError(expression)
    holds = _either(tokens)
    if tokens:
        raise NotImplementedError(expression)
    return holds


def _either(tokens: list[str]) -> Holds:
    one = _both(tokens)
    if not tokens or tokens[-1] != "OR":
        return one
    tokens.pop()
    other = _either(tokens)
    return lambda row, request: one(row, request) or other(row, request)


def _both(tokens: list[str]) -> Holds:
    one = _single(tokens)
    if not tokens or tokens[-1] != "AND":
        return one
    tokens.pop()
    other = _both(tokens)
    return lambda row, request: one(row, request) and other(row, request)


def _single(tokens: list[str]) -> Holds:
    first = tokens.pop()
    if first == "(":
        inner = _either(tokens)
        _expect(tokens, ")")
        return inner
    if first in {"attribute_exists", "attribute_not_exists"}:
        _expect(tokens, "(")
        place = tokens.pop()
        _expect(tokens, ")")
        exists = first == "attribute_exists"
        return lambda row, request: (_name(place, request) in row) == exists
    if first == "contains":
        return _contains(tokens)
    operator = tokens.pop()
    if operator == "IN":
        _expect(tokens, "(")
        values = [tokens.pop()]
        while tokens[-1] == ",":
            tokens.pop()
            values.append(tokens.pop())
        _expect(tokens, ")")
        among = [_comparison(first, _COMPARE["="], value) for value in values]
        return lambda row, request: any(one(row, request) for one in among)
    return _comparison(first, _COMPARE[operator], tokens.pop())


def _contains(tokens: list[str]) -> Holds:
    _expect(tokens, "(")
    place = tokens.pop()
    _expect(tokens, ",")
    value = tokens.pop()
    _expect(tokens, ")")
    return lambda row, request: (
        request["ExpressionAttributeValues"][value] in row.get(_name(place, request), {}).get("L", [])
    )


def _comparison(place: str, compare: Callable[[Any, Any], bool], value: str) -> Holds:
    def holds(row: Typed, request: Request) -> bool:
        one = _at(row, place, request)
        other = request["ExpressionAttributeValues"][value]
        if compare in {_COMPARE["="], _COMPARE["<>"]} and other.keys() & {"M", "L", "SS", "BOOL"}:
            return compare(one, other)
        # A value of another type, or none at all, makes every comparison false.
        return one.keys() == other.keys() and compare(_comparable(one), _comparable(other))

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


def _comparable(value: dict[str, Any]) -> Any:  # noqa: ANN401  text sorts by code point, as its UTF-8 bytes do
    ((kind, text),) = value.items()
    if kind not in {"S", "N"}:
        raise NotImplementedError(kind)
    return Decimal(text) if kind == "N" else text


def _expect(tokens: list[str], token: str) -> None:
    if tokens.pop() != token:
        raise NotImplementedError(token)
