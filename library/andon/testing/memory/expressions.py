"""DynamoDB's expressions on rows in this process: those that our code writes; `NotImplementedError` for all others."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from andon.dynamodb.attribute_values import Typed
from andon.dynamodb.evaluate import Request, comparable
from andon.testing.memory.calls import invalid

_EXPRESSIONS: Final = ("KeyConditionExpression", "ConditionExpression", "FilterExpression", "UpdateExpression")
_GIVEN: Final = {"#": "ExpressionAttributeNames", ":": "ExpressionAttributeValues"}

_UPDATE = re.compile(r"(SET #\w+ = :\w+(, #\w+ = :\w+)*)?( ?REMOVE #\w+(, #\w+)*)?( ?ADD #\w+ :\w+)?")
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


def require_exact(request: Request) -> None:
    """Check that a request gives the names and values that its expressions use, and no others, as DynamoDB does.

    Raises:
        AwsRefused: ValidationException.

    """
    used = _placeholders("; ".join(request[name] for name in _EXPRESSIONS if name in request))
    for mark, member in _GIVEN.items():
        given = request.get(member, {})
        if member in request and not given:
            raise invalid(f"{member} must not be empty")
        if unused := given.keys() - used:
            raise invalid(f"Value provided in {member} unused in expressions: keys: {{{', '.join(sorted(unused))}}}")
        if missing := {place for place in used if place.startswith(mark)} - given.keys():
            raise invalid(f"Invalid expression: not defined in {member}: {', '.join(sorted(missing))}")


@cache
def _placeholders(expressions: str) -> frozenset[str]:
    return frozenset(re.findall(r"[#:]\w+", expressions))


def key_condition(request: Request) -> Callable[[Typed], bool]:
    """Return the condition of a query on sort keys."""
    if request["KeyConditionExpression"] not in _SORTS:
        raise NotImplementedError(request["KeyConditionExpression"])
    holds, values = _SORTS[request["KeyConditionExpression"]], request["ExpressionAttributeValues"]
    first, last = (comparable(values[place]) if place in values else None for place in (":s", ":t"))
    return lambda sort: holds(comparable(sort), first, last)


def key_range(order: Sequence[str], request: Request, bounds: Sequence[str]) -> slice:
    """Return the range of a query's sort keys among those of a partition; bounds: as they are in that order."""
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
