"""The only place that calls DynamoDB: a handful of calls, transactions included, each one request; their errors."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from andon.dynamodb.attribute_values import Attributes, Item, Typed, to_plain, to_typed
from andon.dynamodb.expressions import (
    UNCONDITIONAL,
    Condition,
    conditional,
    conditional_update,
    count_request,
    query_request,
)
from andon.dynamodb.schema import KeyQuery, Keys
from andon.runtime.errors import CallFailed
from andon.wire import aws
from andon.wire.in_parallel import in_parallel, pause
from andon.wire.retries import UNPROCESSED, jitter

# Errors of DynamoDB that mean something. Every other one is `CallFailed`: retry.
#
# ConditionFailed              a write's condition did not hold
# TransactionConditionsFailed  conditions of a transaction did not hold
# TransactionConflict          others were writing the same rows
# ItemRefused                  the row can never be stored as it is
# StartKeyRefused              the start key of a query lies outside of it


class ConditionFailed(Exception):
    """The condition of a write did not hold; `row` is the row that failed it (None: there was none), to save a read."""

    def __init__(self, row: Item | None) -> None:
        super().__init__("condition failed")
        self.row = row


class TransactionConditionsFailed(Exception):
    """Conditions did not hold, and nothing was written; `failed`: name of the write -> the row that stood there."""

    def __init__(self, failed: Mapping[str, Item | None]) -> None:
        super().__init__("conditions failed")
        self.failed = failed


class TransactionConflict(Exception):
    """Others were writing the same rows; nothing was written. Retry."""


class ItemRefused(CallFailed):
    """DynamoDB will never store the row: it is too large, or a key is empty or of another type."""


class StartKeyRefused(Exception):
    """The start key does not lie within the query."""


INVALID = "ValidationException"

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
MOST_READ_AT_ONCE = 100
_BATCH_ATTEMPTS = 5
FIRST_PAUSE_SECONDS = 0.05


class Rows(NamedTuple):
    """The rows of one query request; the next one starts behind `last_key`, None at the end."""

    items: list[Item]
    last_key: Item | None


class Counted(NamedTuple):
    """The number of rows that a query found; not is_whole: it did not read to the end."""

    number: int
    is_whole: bool


class Table:
    """A table, named by an environment variable that is read at use, so that all handlers load in one process."""

    def __init__(self, variable: str, keys: Keys) -> None:
        self.variable = variable
        self.keys = keys

    @property
    def name(self) -> str:
        """The name that this deployment gave the table."""
        return os.environ[self.variable]

    @property
    def absent(self) -> Condition:
        """The condition that there is no row of that key."""
        return Condition("attribute_not_exists(#key)", {"key": self.keys.partition})

    def get(self, key: Attributes, *, consistent: bool = False) -> Item | None:
        """Return one row, None if there is none."""
        response = _call("get_item", TableName=self.name, Key=to_typed(key), ConsistentRead=consistent)
        return to_plain(response["Item"]) if "Item" in response else None

    def get_many(self, keys: Sequence[Attributes]) -> list[Item | None]:
        """Return up to 100 different rows, read consistently, None where there is none; one row is one `GetItem`.

        Raises:
            CallFailed: the table was throttled at each of `_BATCH_ATTEMPTS` attempts.

        """
        if len(keys) <= 1:
            return [self.get(key, consistent=True) for key in keys]
        rows = {self._key_in(row): row for row in self._batch([to_typed(key) for key in keys])}
        return [rows.get(self._key_in(key)) for key in keys]

    def _batch(self, keys: list[Typed]) -> list[Item]:
        """Read rows; DynamoDB may leave out some, which are asked for again.

        https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
        """
        rows: list[Item] = []
        for attempt in range(_BATCH_ATTEMPTS):
            request = {self.name: {"Keys": keys, "ConsistentRead": True}}
            response = _call("batch_get_item", RequestItems=request)
            rows += map(to_plain, response["Responses"].get(self.name, []))
            keys = response.get("UnprocessedKeys", {}).get(self.name, {}).get("Keys", [])
            if not keys:
                return rows
            pause(FIRST_PAUSE_SECONDS * 2**attempt * jitter())
        raise CallFailed(UNPROCESSED)

    def _key_in(self, row: Attributes) -> tuple[str | int, ...]:
        return tuple(row[name] for name in self.keys.names)

    def query(self, query: KeyQuery, *, limit: int, start: Item | None = None, consistent: bool = False) -> Rows:
        """Return up to `limit` rows (at most 1 MB) of one partition, from behind `start`.

        Raises:
            StartKeyRefused: `start` lies outside the query.

        """
        request = query_request(query) | {"TableName": self.name, "Limit": limit, "ConsistentRead": consistent}
        if start is not None:
            request["ExclusiveStartKey"] = to_typed(start)
        try:
            response = _call("query", **request)
        except CallFailed as error:
            if start is not None and error.code == INVALID:
                raise StartKeyRefused from error
            raise
        last_key = response.get("LastEvaluatedKey")
        found = [to_plain(item) for item in response["Items"]]
        items = self.rows_of(found, query.keys) if query.has_keys_only else found
        return Rows(items, to_plain(last_key) if last_key else None)

    def query_all(self, query: KeyQuery, *, page: int, consistent: bool = False) -> list[Item]:
        """Return all rows of a query, however many requests that takes; page: the most rows of one."""
        rows = self.query(query, limit=page, consistent=consistent)
        found = rows.items
        while rows.last_key is not None:
            rows = self.query(query, limit=page, start=rows.last_key, consistent=consistent)
            found += rows.items
        return found

    def count(self, query: KeyQuery, *, now_ms: int | None, most_requests: int = 1) -> Counted:
        """Return how many rows of a partition are alive; each request reads up to 1 MB and returns a number alone.

        It costs what reading them would: half a unit for each 4 KB. An index that is counted is declared by `counted`;
        it is some moments behind the table. now_ms: None: the table's rows never expire.

        Raises:
            ValueError: the index has keys only, so that it does not know what has expired.

        """
        if query.has_keys_only and now_ms is not None:
            raise ValueError(f"index {query.index_name} has keys only: write counted(...) into INDEXES, see schema.py")
        request = count_request(query, now_ms) | {"TableName": self.name}
        number = 0
        for _ in range(most_requests):
            response = _call("query", **request)
            number += response["Count"]
            if "LastEvaluatedKey" not in response:
                return Counted(number, is_whole=True)
            request["ExclusiveStartKey"] = response["LastEvaluatedKey"]
        return Counted(number, is_whole=False)

    def rows_of(self, entries: Sequence[Item], index: Keys) -> list[Item]:
        """Return the rows of an index's entries, as they are now; one that has moved since belongs elsewhere."""
        keys = [{name: entry[name] for name in self.keys.names} for entry in entries]
        chunks = [keys[start : start + MOST_READ_AT_ONCE] for start in range(0, len(keys), MOST_READ_AT_ONCE)]
        rows = chain.from_iterable(in_parallel([partial(self.get_many, chunk) for chunk in chunks]))
        pairs = zip(entries, rows, strict=True)
        return [row for entry, row in pairs if row and all(row.get(name) == entry[name] for name in index.names)]

    def put(self, item: Attributes, *, condition: Condition) -> None:
        """Write one row.

        Raises:
            ConditionFailed: the condition did not hold; nothing was written.

        """
        _write("put_item", {"Item": to_typed(item), **conditional(self.name, condition)})

    def delete(self, key: Attributes, *, condition: Condition = UNCONDITIONAL) -> None:
        """Delete one row, if there is one.

        Raises:
            ConditionFailed: the condition did not hold; nothing was deleted.

        """
        _write("delete_item", {"Key": to_typed(key), **conditional(self.name, condition)})

    def update(
        self, key: Attributes, *, assign: Attributes, remove: tuple[str, ...] = (), condition: Condition
    ) -> None:
        """Assign and remove attributes of one row; without a row, create it.

        Raises:
            ConditionFailed: the condition did not hold; nothing was written.

        """
        _write("update_item", conditional_update(self.name, key, assign, remove, condition))

    def update_and_return(
        self, key: Attributes, *, assign: Attributes, remove: tuple[str, ...] = (), condition: Condition
    ) -> Item:
        """Apply `update`; return the row after it, which costs no units.

        Raises:
            ConditionFailed: the condition did not hold; nothing was written.

        """
        return _write_and_return(conditional_update(self.name, key, assign, remove, condition))

    def increment(
        self,
        key: Attributes,
        counter: str,
        *,
        assign: Attributes,
        remove: tuple[str, ...] = (),
        condition: Condition = UNCONDITIONAL,
    ) -> Item:
        """Add one to a number of a row (from 0), assign and remove other attributes; return the row as it is now.

        Raises:
            ConditionFailed: the condition did not hold; nothing was written.

        """
        return _write_and_return(conditional_update(self.name, key, assign, remove, condition, count=counter))


def _call(operation: str, **request: Any) -> Item:  # noqa: ANN401  requests are any JSON
    return aws.call("dynamodb", operation, **request)


def _write_and_return(update: Item) -> Item:
    """Make an update; return the row as it is then."""
    return to_plain(_write("update_item", {**update, "ReturnValues": "ALL_NEW"})["Attributes"])


def _write(operation: str, request: Item) -> Item:
    try:
        return aws.call("dynamodb", operation, **request)
    except CallFailed as error:
        if error.code == "ConditionalCheckFailedException":
            raise ConditionFailed(_row_in(error.response)) from error
        if error.code == INVALID:
            raise ItemRefused(error.code, error.response) from error
        raise


def _row_in(response: Attributes) -> Item | None:
    """Return the row that failed the condition, if there was one."""
    row = response.get("Item")
    return to_plain(row) if row else None


# Why a write of a cancelled transaction was not made: its condition, or what a later attempt may not meet.
# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
FAILED = "ConditionalCheckFailed"
RETRYABLE = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})


class Put(NamedTuple):
    """A row to be put."""

    table: Table
    item: Attributes
    condition: Condition

    def request(self) -> Item:
        """Return the member of `TransactItems`."""
        return {"Put": {"Item": to_typed(self.item), **conditional(self.table.name, self.condition)}}

    def alone(self) -> None:
        """Write it without a transaction.

        Raises:
            ConditionFailed: the condition did not hold.

        """
        self.table.put(self.item, condition=self.condition)


class Update(NamedTuple):
    """Attributes of a row to be assigned and removed."""

    table: Table
    key: Attributes
    assign: Attributes
    remove: tuple[str, ...]
    condition: Condition

    def request(self) -> Item:
        """Return the member of `TransactItems`."""
        return {"Update": conditional_update(self.table.name, self.key, self.assign, self.remove, self.condition)}

    def alone(self) -> None:
        """Write it without a transaction.

        Raises:
            ConditionFailed: the condition did not hold.

        """
        self.table.update(self.key, assign=self.assign, remove=self.remove, condition=self.condition)


class Delete(NamedTuple):
    """A row to be deleted, if there is one."""

    table: Table
    key: Attributes
    condition: Condition

    def request(self) -> Item:
        """Return the member of `TransactItems`."""
        return {"Delete": {"Key": to_typed(self.key), **conditional(self.table.name, self.condition)}}


class Check(NamedTuple):
    """A condition on a row that is not written."""

    table: Table
    key: Attributes
    condition: Condition

    def request(self) -> Item:
        """Return the member of `TransactItems`."""
        return {"ConditionCheck": {"Key": to_typed(self.key), **conditional(self.table.name, self.condition)}}


def transact(writes: Mapping[str, Put | Update | Delete | Check]) -> None:
    """Do all writes or none, in one request; it costs two write units a row and KB, a check included.

    Raises:
        TransactionConditionsFailed: conditions did not hold; those writes are listed by their names.
        TransactionConflict: others were writing the same rows, or the table was throttled.

    """
    try:
        _call("transact_write_items", TransactItems=[write.request() for write in writes.values()])
    except CallFailed as error:
        if error.code != "TransactionCanceledException":
            raise
        reasons = dict(zip(writes, error.response["CancellationReasons"], strict=True))
        failed = {name: _row_in(reason) for name, reason in reasons.items() if reason["Code"] == FAILED}
        if failed:
            raise TransactionConditionsFailed(failed) from error
        if any(reason["Code"] in RETRYABLE for reason in reasons.values()):
            raise TransactionConflict from error
        raise
