"""DynamoDB's expressions, and the requests that carry them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from patterns.attribute_values import to_typed
from patterns.key_query import BeginsWith, Between, KeyQuery


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition expression; `names` and `values` are its placeholders without `#` and `:`."""

    expression: str
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)


def conditional(table: str, condition: Condition) -> dict[str, Any]:
    """Give what every conditional write says: where, under which condition, and that the row in the way is wanted."""
    request: dict[str, Any] = {
        "TableName": table,
        "ConditionExpression": condition.expression,
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    _add_placeholders(request, condition)
    return request


def update_expression(assign: Mapping[str, Any], remove: tuple[str, ...]) -> Condition:
    """Write `SET … REMOVE …` with numbered placeholders: names may be reserved words or have `#` in them."""
    names = {f"s{number}": name for number, name in enumerate(assign)} | {
        f"r{n}": name for n, name in enumerate(remove)
    }
    values = {f"s{number}": value for number, value in enumerate(assign.values())}
    expression = "SET " + ", ".join(f"#{place} = :{place}" for place in values)
    if remove:
        expression += " REMOVE " + ", ".join(f"#r{number}" for number in range(len(remove)))
    return Condition(expression, names, values)


def query_request(query: KeyQuery) -> dict[str, Any]:
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
    if query.sort is not None:
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
