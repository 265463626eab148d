"""DynamoDB's expressions, and the requests that carry them."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes, Item, to_typed, typed_pairs
from andon.dynamodb.schema import BeginsWith, Between, GreaterThan, KeyQuery, LessThan, Sort

_NONE: Final[Attributes] = MappingProxyType({})


# DynamoDB deletes expired rows days late, see `ttl.is_alive`.
ALIVE: Final = "(attribute_not_exists(#ttl) OR #ttl > :now) AND (attribute_not_exists(#date) OR #date > :now)"


class Condition(NamedTuple):
    """A condition expression; `names` and `values` are its placeholders without `#` and `:`."""

    expression: str
    names: Mapping[str, str] = _NONE
    values: Attributes = _NONE


UNCONDITIONAL = Condition("")


def both(one: Condition, other: Condition) -> Condition:
    """Return the condition that both hold; a placeholder that both have stands for the same in both.

    Neither is all in parentheses: DynamoDB refuses two around the same.
    """
    expression = f"({one.expression}) AND ({other.expression})"
    return Condition(expression, {**one.names, **other.names}, {**one.values, **other.values})


class _Shape(NamedTuple):
    """The common part of updates that differ in nothing but values.

    members: those of the request, which no one may change. places: the placeholders of the values, in their order.
    """

    members: Item
    places: tuple[str, ...]


def conditional(table: str, condition: Condition) -> Item:
    """Return the members of a conditional write: table, condition, and that a failure returns the row."""
    request = _where(table, condition.expression)
    _add_placeholders(request, condition.names, condition.values)
    return request


def conditional_update(
    table: str,
    key: Attributes,
    assign: Attributes,
    remove: tuple[str, ...],
    condition: Condition,
    *,
    count: str | None = None,
) -> Item:
    """Return the request of a conditional update; it adds one to the attribute `count`."""
    names, values = condition.names, condition.values
    shape = _shape_of(table, condition.expression, tuple(names.items()), tuple(values), tuple(assign), remove, count)
    request = {"Key": to_typed(key), **shape.members}
    if shape.places:  # DynamoDB refuses empty members
        ordered = (*values.values(), *assign.values(), 1)  # the last one is for `count`
        request["ExpressionAttributeValues"] = typed_pairs(zip(shape.places, ordered, strict=False))
    return request


# Services and views write a few dozen shapes; the bound is for attributes that are named by what people chose.
@lru_cache(maxsize=1024)
def _shape_of(
    table: str,
    expression: str,
    names: tuple[tuple[str, str], ...],
    values: tuple[str, ...],
    assign: tuple[str, ...],
    remove: tuple[str, ...],
    count: str | None,
) -> _Shape:
    """Return the shape of an update; placeholders are numbered, for names can be reserved words or contain `#`."""
    all_names = {
        **{f"#{place}": name for place, name in names},
        **{f"#s{n}": name for n, name in enumerate(assign)},
        **{f"#r{n}": name for n, name in enumerate(remove)},
    }
    places = [f":{place}" for place in values] + [f":s{n}" for n in range(len(assign))]
    if count is not None:
        all_names["#count"] = count
        places.append(":one")
    members = _where(table, expression)
    members["UpdateExpression"] = _update_expression(len(assign), len(remove), counted=count is not None)
    if all_names:
        members["ExpressionAttributeNames"] = all_names
    return _Shape(members, tuple(places))


def _where(table: str, expression: str) -> Item:
    request: Item = {"TableName": table}
    if expression:
        request["ConditionExpression"] = expression
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return request


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


def query_request(query: KeyQuery) -> Item:
    """Return the request of a query, without its table and page."""
    expression, names = "#p = :p", {"p": query.keys.partition}
    values: dict[str, str | int] = {"p": query.partition}
    if query.sort is not None and query.keys.sort is not None:
        condition, bounds = _sort_condition(query.sort)
        expression, names, values = f"{expression} AND {condition}", names | {"s": query.keys.sort}, values | bounds
    request: Item = {"KeyConditionExpression": expression, "ScanIndexForward": query.forward}
    if query.index_name is not None:
        request["IndexName"] = query.index_name
    _add_placeholders(request, names, values)
    return request


def count_request(query: KeyQuery, now_ms: int | None) -> Item:
    """Return the request that counts the rows of a query, without its table; now_ms: None counts expired ones, too."""
    request = query_request(query) | {"Select": "COUNT"}
    if now_ms is not None:
        request["FilterExpression"] = ALIVE
        request["ExpressionAttributeNames"] |= {"#ttl": ttl.ATTRIBUTE, "#date": ttl.DATE}
        request["ExpressionAttributeValues"] |= to_typed({":now": now_ms // 1000})
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


def _add_placeholders(request: Item, names: Mapping[str, str], values: Attributes) -> None:
    """Add names and values under their placeholders; DynamoDB refuses empty members."""
    if names:
        request["ExpressionAttributeNames"] = {f"#{place}": name for place, name in names.items()}
    if values:
        request["ExpressionAttributeValues"] = to_typed({f":{place}": value for place, value in values.items()})
