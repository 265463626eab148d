"""The only place that talks to DynamoDB: a handful of calls, each one request."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from patterns import aws
from patterns.attribute_values import Item, to_plain, to_typed
from patterns.key_query import BeginsWith, Between, KeyQuery
from patterns.schema import Keys


class ConditionFailed(Exception):
    """The condition of a write did not hold; `row` is what stood there (None: nothing), so that no read is needed."""

    def __init__(self, row: Item | None) -> None:
        super().__init__("condition failed")
        self.row = row


class StartKeyRefused(Exception):
    """The key to go on from does not lie within the query."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition expression; `names` and `values` are its placeholders without `#` and `:`."""

    expression: str
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rows:
    """What one query request gave; `last_key` is where to go on, None at the end."""

    items: list[Item]
    last_key: Item | None


class Table:
    """A table, named by an environment variable that is read at use: all handlers load in one process."""

    def __init__(self, variable: str, keys: Keys) -> None:
        self._variable = variable
        self.keys = keys

    @property
    def name(self) -> str:
        """The name that this deployment gave the table."""
        return os.environ[self._variable]

    def get(self, key: Mapping[str, Any], *, consistent: bool = False) -> Item | None:
        """Read one row."""
        answer = aws.client("dynamodb").get_item(TableName=self.name, Key=to_typed(key), ConsistentRead=consistent)
        return to_plain(answer["Item"]) if "Item" in answer else None

    def query(self, query: KeyQuery, *, limit: int, start: Item | None = None) -> Rows:
        """Read up to `limit` rows (at most 1 MB) of one partition, from behind `start`.

        Raises:
            StartKeyRefused: `start` lies outside the query.

        """
        request = _query_request(query) | {"TableName": self.name, "Limit": limit}
        if start is not None:
            request["ExclusiveStartKey"] = to_typed(start)
        try:
            answer = aws.client("dynamodb").query(**request)
        except ClientError as error:
            if start is not None and code_of(error) == "ValidationException":
                raise StartKeyRefused from error
            raise
        last_key = answer.get("LastEvaluatedKey")
        return Rows([to_plain(item) for item in answer["Items"]], to_plain(last_key) if last_key else None)

    def put(self, item: Mapping[str, Any], *, condition: Condition) -> None:
        """Write one row.

        Raises:
            ConditionFailed: the condition did not hold; nothing was written.

        """
        self._write("put_item", {"Item": to_typed(item)}, condition)

    def update(
        self, key: Mapping[str, Any], *, assign: Mapping[str, Any], remove: tuple[str, ...] = (), condition: Condition
    ) -> None:
        """Assign and remove attributes of one row, which comes to be if it is not there.

        Raises:
            ConditionFailed: the condition did not hold; nothing was written.

        """
        change = _update_expression(assign, remove)
        whole = Condition(
            condition.expression, {**condition.names, **change.names}, {**condition.values, **change.values}
        )
        self._write("update_item", {"Key": to_typed(key), "UpdateExpression": change.expression}, whole)

    def _write(self, call: str, request: dict[str, Any], condition: Condition) -> None:
        request |= {
            "TableName": self.name,
            "ConditionExpression": condition.expression,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        _add_placeholders(request, condition)
        try:
            getattr(aws.client("dynamodb"), call)(**request)
        except ClientError as error:
            if code_of(error) == "ConditionalCheckFailedException":
                row = error.response.get("Item")
                raise ConditionFailed(to_plain(row) if row else None) from error
            raise


def code_of(error: ClientError) -> str:
    """Give the code by which AWS names an error."""
    return str(error.response.get("Error", {}).get("Code", ""))


def _update_expression(assign: Mapping[str, Any], remove: tuple[str, ...]) -> Condition:
    """Write `SET … REMOVE …` with numbered placeholders: names may be reserved words or have `#` in them."""
    names = {f"s{number}": name for number, name in enumerate(assign)} | {
        f"r{n}": name for n, name in enumerate(remove)
    }
    values = {f"s{number}": value for number, value in enumerate(assign.values())}
    expression = "SET " + ", ".join(f"#{place} = :{place}" for place in values)
    if remove:
        expression += " REMOVE " + ", ".join(f"#r{number}" for number in range(len(remove)))
    return Condition(expression, names, values)


def _query_request(query: KeyQuery) -> dict[str, Any]:
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
