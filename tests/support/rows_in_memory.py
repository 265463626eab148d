"""DynamoDB's conditional writes of single rows, in this process: a stand-in for the wire.

It is many times as fast as moto, and knows the expressions that our code writes and no others; held against moto by
`tests/patterns/test_rows_in_memory.py`.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from threading import Lock
from types import TracebackType
from typing import Any, Self
from unittest.mock import patch

from botocore.exceptions import ClientError

from local.in_process.world import ENVIRONMENT
from patterns.runtime import aws

SERVICES = ("dynamodb", "events")

Typed = dict[str, dict[str, Any]]
Request = Mapping[str, Any]
Holds = Callable[[Typed, Request], bool]
Refuse = Callable[[int, Request], str | None]
"""The number of a write (from 1) and its request -> the code of the error that it gets; None lets it through."""

_TOKEN = re.compile(r"[#:\w]+|<=|>=|[()<>=]")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda one, other: one == other,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}


class RowsInMemory:
    """The rows of one table, by key, and a bus that takes everything, while the context lasts."""

    def __init__(self, table: str) -> None:
        self.rows: dict[str, Typed] = {}
        self.published = 0
        self._writes = 0
        self._refuse: Refuse = _never
        self._lock = Lock()  # a write of one row is atomic
        self._environment = patch.dict(os.environ, ENVIRONMENT | {table: table})

    def __enter__(self) -> Self:
        self._environment.start()
        aws.client.cache_clear()
        for service in SERVICES:
            # Where botocore has chosen an operation and not yet begun with HTTP, which is most of what a call costs.
            aws.client(service)._make_api_call = self._call  # noqa: SLF001
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        aws.client.cache_clear()  # the stand-in goes with the clients
        self._environment.stop()

    def refuse(self, code_of: Refuse) -> None:
        """Answer writes with errors from here on."""
        self._writes, self._refuse = 0, code_of

    def busy_after(self, writes: int | None) -> None:
        """Let so many writes through, and all if None."""
        self.refuse(lambda number, _: "ThrottlingException" if writes is not None and number > writes else None)

    def _call(self, operation: str, request: Request) -> dict[str, Any]:
        with self._lock:
            answer = self._do(operation, request)
        if "Error" in answer:
            raise ClientError(answer, operation)
        return answer

    def _do(self, operation: str, request: Request) -> dict[str, Any]:
        if operation == "PutEvents":
            self.published += len(request["Entries"])
            return {"FailedEntryCount": 0, "Entries": [{"EventId": "taken"} for _ in request["Entries"]]}
        if operation not in {"UpdateItem", "DeleteItem"}:
            raise NotImplementedError(operation)
        self._writes += 1
        if code := self._refuse(self._writes, request):
            return {"Error": {"Code": code, "Message": f"{code} of table Secret"}}
        key = json.dumps(request["Key"], sort_keys=True)
        row = self.rows.get(key)
        if "ConditionExpression" in request and not condition(request["ConditionExpression"])(row or {}, request):
            found = {"Item": row} if row and request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" else {}
            return {"Error": {"Code": "ConditionalCheckFailedException", "Message": "no"}, **found}
        if operation == "DeleteItem":
            self.rows.pop(key, None)
        else:
            self.rows[key] = updated(row or dict(request["Key"]), request)
        return {}


def updated(row: Typed, request: Request) -> Typed:
    """Carry `SET #a = :a, … REMOVE #b, …` out."""
    row = dict(row)
    sets, _, removes = request["UpdateExpression"].removeprefix("SET ").partition(" REMOVE ")
    names, values = request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]
    for assignment in sets.split(", "):
        place, value = assignment.split(" = ")
        row[names[place]] = values[value]
    for place in removes.split(", ") if removes else ():
        row.pop(names[place], None)
    return row


def _never(_: int, __: Request) -> None:
    return None


@cache
def condition(expression: str) -> Holds:
    """Compile comparisons and `attribute_not_exists`, with AND, OR and parentheses."""
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
    if first == "attribute_not_exists":
        _expect(tokens, "(")
        place = tokens.pop()
        _expect(tokens, ")")
        return lambda row, request: request["ExpressionAttributeNames"][place] not in row
    return _comparison(first, _COMPARE[tokens.pop()], tokens.pop())


def _comparison(place: str, compare: Callable[[Any, Any], bool], value: str) -> Holds:
    def holds(row: Typed, request: Request) -> bool:
        one = row.get(request["ExpressionAttributeNames"][place], {})
        other = request["ExpressionAttributeValues"][value]
        # Of another type, or not there at all, compares as false.
        return one.keys() == other.keys() and compare(_plain(one), _plain(other))

    return holds


def _plain(value: dict[str, Any]) -> Any:  # noqa: ANN401  text sorts by code point, as its UTF-8 bytes do
    ((kind, text),) = value.items()
    if kind not in {"S", "N"}:
        raise NotImplementedError(kind)
    return Decimal(text) if kind == "N" else text


def _expect(tokens: list[str], token: str) -> None:
    if tokens.pop() != token:
        raise NotImplementedError(token)
