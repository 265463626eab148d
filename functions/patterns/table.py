"""The only place that talks to DynamoDB: a handful of calls, each one request."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from patterns import aws
from patterns.attribute_values import Item, to_plain, to_typed
from patterns.expressions import UNCONDITIONAL, Condition, conditional, conditional_update, query_request
from patterns.key_query import KeyQuery
from patterns.schema import Keys


class ConditionFailed(Exception):
    """The condition of a write did not hold; `row` is what stood there (None: nothing), so that no read is needed."""

    def __init__(self, row: Item | None) -> None:
        super().__init__("condition failed")
        self.row = row


class StartKeyRefused(Exception):
    """The key to go on from does not lie within the query."""


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

    def query(self, query: KeyQuery, *, limit: int, start: Item | None = None, consistent: bool = False) -> Rows:
        """Read up to `limit` rows (at most 1 MB) of one partition, from behind `start`.

        Raises:
            StartKeyRefused: `start` lies outside the query.

        """
        request = query_request(query) | {"TableName": self.name, "Limit": limit, "ConsistentRead": consistent}
        if start is not None:
            request["ExclusiveStartKey"] = to_typed(start)
        try:
            answer = aws.client("dynamodb").query(**request)
        except ClientError as error:
            if start is not None and aws.code_of(error) == "ValidationException":
                raise StartKeyRefused from error
            raise
        last_key = answer.get("LastEvaluatedKey")
        return Rows([to_plain(item) for item in answer["Items"]], to_plain(last_key) if last_key else None)

    def put(self, item: Mapping[str, Any], *, condition: Condition) -> None:
        """Write one row.

        Raises:
            ConditionFailed: the condition did not hold; nothing was written.

        """
        self._write("put_item", {"Item": to_typed(item), **conditional(self.name, condition)})

    def delete(self, key: Mapping[str, Any]) -> None:
        """Remove one row, if it is there."""
        self._write("delete_item", {"TableName": self.name, "Key": to_typed(key)})

    def update(
        self, key: Mapping[str, Any], *, assign: Mapping[str, Any], remove: tuple[str, ...] = (), condition: Condition
    ) -> None:
        """Assign and remove attributes of one row, which comes to be if it is not there.

        Raises:
            ConditionFailed: the condition did not hold; nothing was written.

        """
        self._write("update_item", {"Key": to_typed(key), **conditional_update(self.name, assign, remove, condition)})

    def increment(
        self,
        key: Mapping[str, Any],
        counter: str,
        *,
        assign: Mapping[str, Any],
        remove: tuple[str, ...] = (),
        condition: Condition = UNCONDITIONAL,
    ) -> Item:
        """Add one to a number of a row (no number is 0) while assigning and removing others; give the row as it is now.

        Raises:
            ConditionFailed: the condition did not hold; nothing was written.

        """
        change = conditional_update(self.name, assign, remove, condition, count=counter)
        answer = self._write("update_item", {"Key": to_typed(key), "ReturnValues": "ALL_NEW", **change})
        return to_plain(answer["Attributes"])

    def _write(self, call: str, request: dict[str, Any]) -> Any:  # noqa: ANN401  boto3's answers have no type
        try:
            return getattr(aws.client("dynamodb"), call)(**request)
        except ClientError as error:
            if aws.code_of(error) == "ConditionalCheckFailedException":
                row = error.response.get("Item")
                raise ConditionFailed(to_plain(row) if row else None) from error
            raise
