"""DynamoDB's expressions, and the requests that carry them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from patterns.dynamodb.attribute_values import to_typed
from patterns.dynamodb.key_query import BeginsWith, Between, GreaterThan, KeyQuery, LessThan, Sort


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition expression; `names` and `values` are its placeholders without `#` and `:`."""

    expression: str
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)


UNCONDITIONAL = Condition("")


def conditional(table: str, condition: Condition) -> dict[str, Any]:
    """Return the members of a conditional write: table, condition, and that a failure returns the row."""
    request = _where(table, condition.expression)
    _add_placeholders(request, _marked("#", condition.names), _marked(":", condition.values))
    return request


def conditional_update(
    table: str,
    assign: Mapping[str, Any],
    remove: tuple[str, ...],
    condition: Condition,
    *,
    count: str | None = None,
) -> dict[str, Any]:
    """Return the members of a conditional update without its key; it adds one to the attribute `count`."""
    names = {**_marked("#", condition.names), **_numbered("#s", assign), **_numbered("#r", remove)}
    values = {**_marked(":", condition.values), **_numbered(":s", assign.values())}
    if count is not None:
        names["#count"], values[":one"] = count, 1
    request = _where(table, condition.expression)
    request["UpdateExpression"] = _update_expression(len(assign), len(remove), counted=count is not None)
    _add_placeholders(request, names, values)
    return request


def _where(table: str, expression: str) -> dict[str, Any]:
    request: dict[str, Any] = {"TableName": table}
    if expression:
        request["ConditionExpression"] = expression
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return request


def _marked(mark: str, placeholders: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{mark}{place}": member for place, member in placeholders.items()}


def _numbered(mark: str, members: Iterable[Any]) -> dict[str, Any]:
    """Return a placeholder for each: names can be reserved words or contain `#`."""
    return {f"{mark}{n}": member for n, member in enumerate(members)}


@cache
def _update_expression(assigned: int, removed: int, *, counted: bool) -> str:
    """Return `SET … REMOVE … ADD …` for so many attributes."""
    clauses = []
    if assigned:
        clauses.append("SET " + ", ".join(f"#s{n} = :s{n}" for n in range(assigned)))
    if removed:
        clauses.append("REMOVE " + ", ".join(f"#r{n}" for n in range(removed)))
    if counted:
        clauses.append("ADD #count :one")
    return " ".join(clauses)


def query_request(query: KeyQuery) -> dict[str, Any]:
    """Return the request of a query, without its table and page."""
    expression, names = "#p = :p", {"p": query.keys.partition}
    values: dict[str, str | int] = {"p": query.partition}
    if query.sort is not None and query.keys.sort is not None:
        condition, bounds = _sort_condition(query.sort)
        expression, names, values = f"{expression} AND {condition}", names | {"s": query.keys.sort}, values | bounds
    request: dict[str, Any] = {"KeyConditionExpression": expression, "ScanIndexForward": query.forward}
    if query.index is not None:
        request["IndexName"] = query.index
    _add_placeholders(request, _marked("#", names), _marked(":", values))
    return request


def _sort_condition(sort: Sort) -> tuple[str, dict[str, str | int]]:
    """Return the condition on the sort key `#s`, and the values of its placeholders."""
    match sort:
        case BeginsWith(prefix):
            return "begins_with(#s, :s)", {"s": prefix}
        case Between(first, last):
            return "#s BETWEEN :s AND :t", {"s": first, "t": last}
        case LessThan(bound):
            return "#s < :s", {"s": bound}
        case GreaterThan(bound):
            return "#s > :s", {"s": bound}


def _add_placeholders(request: dict[str, Any], names: dict[str, str], values: dict[str, Any]) -> None:
    """Add names and values; DynamoDB refuses empty ones."""
    if names:
        request["ExpressionAttributeNames"] = names
    if values:
        request["ExpressionAttributeValues"] = to_typed(values)
