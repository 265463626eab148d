"""DynamoDB's expressions, and the requests that carry them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from patterns.attribute_values import to_typed
from patterns.key_query import BeginsWith, Between, GreaterThan, KeyQuery, LessThan


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition expression; `names` and `values` are its placeholders without `#` and `:`."""

    expression: str
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)


UNCONDITIONAL = Condition("")


def conditional(table: str, condition: Condition) -> dict[str, Any]:
    """Give what every conditional write says: where, under which condition, and that the row in the way is wanted."""
    request: dict[str, Any] = {"TableName": table}
    if condition.expression:
        request["ConditionExpression"] = condition.expression
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    _add_placeholders(request, condition)
    return request


def conditional_update(
    table: str,
    assign: Mapping[str, Any],
    remove: tuple[str, ...],
    condition: Condition,
    *,
    count: str | None = None,
) -> dict[str, Any]:
    """Give what a conditional update says, its key aside; it adds one to the attribute `count`."""
    change = _update_expression(assign, remove, count)
    names, values = {**condition.names, **change.names}, {**condition.values, **change.values}
    request = conditional(table, Condition(condition.expression, names, values))
    return request | {"UpdateExpression": change.expression}


def _update_expression(assign: Mapping[str, Any], remove: tuple[str, ...], count: str | None) -> Condition:
    """Write `SET … REMOVE … ADD …` with numbered placeholders: names may be reserved words or have `#` in them."""
    names = {f"s{n}": name for n, name in enumerate(assign)} | {f"r{n}": name for n, name in enumerate(remove)}
    values = {f"s{n}": value for n, value in enumerate(assign.values())}
    clauses = []
    if assign:
        clauses.append("SET " + ", ".join(f"#s{n} = :s{n}" for n in range(len(assign))))
    if remove:
        clauses.append("REMOVE " + ", ".join(f"#r{n}" for n in range(len(remove))))
    if count is not None:
        clauses.append("ADD #count :one")
        names["count"], values["one"] = count, 1
    return Condition(" ".join(clauses), names, values)


def query_request(query: KeyQuery) -> dict[str, Any]:
    """Give the request of a query, its table and page aside."""
    names = {"p": query.keys.partition}
    values: dict[str, str | int] = {"p": query.partition}
    expression = "#p = :p"
    match query.sort:
        case BeginsWith(prefix):
            expression += " AND begins_with(#s, :s)"
            values["s"] = prefix
        case Between(first, last):
            expression += " AND #s BETWEEN :s AND :t"
            values |= {"s": first, "t": last}
        case LessThan(bound):
            expression += " AND #s < :s"
            values["s"] = bound
        case GreaterThan(bound):
            expression += " AND #s > :s"
            values["s"] = bound
    if query.sort is not None and query.keys.sort is not None:
        names["s"] = query.keys.sort
    request: dict[str, Any] = {"KeyConditionExpression": expression, "ScanIndexForward": query.forward}
    if query.index is not None:
        request["IndexName"] = query.index
    _add_placeholders(request, Condition(expression, names, values))
    return request


def _add_placeholders(request: dict[str, Any], condition: Condition) -> None:
    """Add a condition's names and values, which DynamoDB refuses to see empty."""
    if condition.names:
        request["ExpressionAttributeNames"] = {f"#{place}": name for place, name in condition.names.items()}
    if condition.values:
        request["ExpressionAttributeValues"] = to_typed(
            {f":{place}": value for place, value in condition.values.items()}
        )
