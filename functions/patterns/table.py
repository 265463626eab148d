"""The only place that talks to DynamoDB: a handful of calls, each one request."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from patterns import aws
from patterns.attribute_values import Item, to_plain, to_typed
from patterns.expressions import Condition, conditional, query_request, update_expression
from patterns.key_query import KeyQuery
from patterns.schema import Keys

# Codes within a cancelled transaction that a later attempt may not meet.
RETRYABLE = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})


class ConditionFailed(Exception):
    """The condition of a write did not hold; `row` is what stood there (None: nothing), so that no read is needed."""

    def __init__(self, row: Item | None) -> None:
        super().__init__("condition failed")
        self.row = row


class TransactionConditionsFailed(Exception):
    """Conditions of a transaction did not hold; `failed` has, by the number of the write, what stood there."""

    def __init__(self, failed: Mapping[int, Item | None]) -> None:
        super().__init__("conditions failed")
        self.failed = failed


class TransactionConflict(Exception):
    """Another transaction was under way on the same rows: nothing was written, and it may be tried again."""


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

    def query(self, query: KeyQuery, *, limit: int, start: Item | None = None) -> Rows:
        """Read up to `limit` rows (at most 1 MB) of one partition, from behind `start`.

        Raises:
            StartKeyRefused: `start` lies outside the query.

        """
        request = query_request(query) | {"TableName": self.name, "Limit": limit}
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
        change = update_expression(assign, remove)
        whole = Condition(
            condition.expression, {**condition.names, **change.names}, {**condition.values, **change.values}
        )
        self._write("update_item", {"Key": to_typed(key), "UpdateExpression": change.expression}, whole)

    def _write(self, call: str, request: dict[str, Any], condition: Condition) -> None:
        try:
            getattr(aws.client("dynamodb"), call)(**request | conditional(self.name, condition))
        except ClientError as error:
            if code_of(error) == "ConditionalCheckFailedException":
                row = error.response.get("Item")
                raise ConditionFailed(to_plain(row) if row else None) from error
            raise


@dataclass(frozen=True, slots=True)
class Put:
    """A row to be written in a transaction."""

    table: Table
    item: Mapping[str, Any]
    condition: Condition


def transact(*puts: Put) -> None:
    """Write all rows or none, in one request (two write units a row and KB).

    Raises:
        TransactionConditionsFailed: conditions did not hold.
        TransactionConflict: others were writing the same rows.

    """
    writes = [{"Put": conditional(put.table.name, put.condition) | {"Item": to_typed(put.item)}} for put in puts]
    try:
        aws.client("dynamodb").transact_write_items(TransactItems=writes)
    except ClientError as error:
        if code_of(error) != "TransactionCanceledException":
            raise
        reasons = list(enumerate(error.response["CancellationReasons"]))
        failed = {n: reason.get("Item") for n, reason in reasons if reason["Code"] == "ConditionalCheckFailed"}
        if failed:
            rows = {number: to_plain(row) if row else None for number, row in failed.items()}
            raise TransactionConditionsFailed(rows) from error
        if any(reason["Code"] in RETRYABLE for _, reason in reasons):
            raise TransactionConflict from error
        raise


def code_of(error: ClientError) -> str:
    """Give the code by which AWS names an error."""
    return str(error.response.get("Error", {}).get("Code", ""))
