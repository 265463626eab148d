"""The dispatch table, its stream and the bus in this process: a stand-in for the wire, many times as fast as moto.

It knows the requests that dispatch makes and no others; held against moto by `test_table_in_memory.py`.
"""

import os
import re
from collections.abc import Callable
from hashlib import blake2s
from types import TracebackType
from typing import Any, Final, Self
from unittest.mock import patch

from botocore.exceptions import ClientError

from local.in_process.world import ACCOUNT, ENVIRONMENT, REGION
from patterns.dynamodb.attribute_values import Item, to_plain
from patterns.runtime import aws
from services.dispatch.tables import KEYS
from tests.support.interruptions import AFTER, BEFORE
from tests.support.rows_in_memory import SERVICES, Request, Typed, condition, updated

TABLE: Final = "DISPATCH_TABLE"
ARN: Final = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{TABLE}/stream/2020-01-01T00:00:00.000"

Record = dict[str, Any]
Watch = Callable[[str, str], None]
"""Told `BEFORE` or `AFTER`, and the operation; what it raises is what the caller gets."""

_PARTITION, _SORT = KEYS.names
_FITS: dict[str, Callable[[str, str], bool]] = {
    "": lambda _, __: True,
    " AND begins_with(#s, :s)": str.startswith,
    " AND #s < :s": lambda sort, bound: sort < bound,
}


class TableInMemory:
    """Rows, what the stream has to tell of them, and what was published, while the context lasts."""

    def __init__(self) -> None:
        self.partitions: dict[str, dict[str, Typed]] = {}
        self.published: list[dict[str, str]] = []
        self.watch: Watch = nobody
        self._records: list[Record] = []
        self._changes = 0
        self._environment = patch.dict(os.environ, ENVIRONMENT | {TABLE: TABLE})

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

    def rows(self, partition: str) -> list[Item]:
        """Read a partition, in the order of its sort keys."""
        return [to_plain(row) for _, row in sorted(self.partitions.get(partition, {}).items())]

    def forget(self) -> None:
        """Be as empty as at the beginning."""
        self.partitions, self.published, self._records = {}, [], []

    def new_records(self) -> list[Record]:
        """Take what the stream has to tell since the last time, as Lambda gets it."""
        records, self._records = self._records, []
        return records

    def _call(self, operation: str, request: Request) -> dict[str, Any]:
        self.watch(BEFORE, operation)
        answer = self._do(operation, request)
        self.watch(AFTER, operation)
        if "Error" in answer:
            raise ClientError(answer, operation)
        return answer

    def _do(self, operation: str, request: Request) -> dict[str, Any]:
        match operation:
            case "PutEvents":
                self.published += request["Entries"]
                return {"FailedEntryCount": 0, "Entries": [{"EventId": "taken"} for _ in request["Entries"]]}
            case "GetItem":
                row = self._row(request["Key"])
                return {} if row is None else {"Item": row}
            case "Query":
                return self._query(request)
            case "PutItem" | "UpdateItem" | "DeleteItem":
                return self._write(operation, request)
        raise NotImplementedError(operation)

    def _query(self, request: Request) -> dict[str, Any]:
        if "IndexName" in request:
            raise NotImplementedError(request["IndexName"])
        fits = _FITS[re.sub(r"^#p = :p", "", request["KeyConditionExpression"])]
        values = {place: value["S"] for place, value in request["ExpressionAttributeValues"].items()}
        rows = self.partitions.get(values[":p"], {})
        sorts = sorted(
            (sort for sort in rows if fits(sort, values.get(":s", ""))), reverse=not request["ScanIndexForward"]
        )
        if start := request.get("ExclusiveStartKey"):
            behind = str.__gt__ if request["ScanIndexForward"] else str.__lt__
            sorts = [sort for sort in sorts if behind(sort, start[_SORT]["S"])]
        found = [rows[sort] for sort in sorts[: request["Limit"]]]
        # As DynamoDB does, and moto does not: a page that is full has a key to go on from, even if nothing follows.
        last = {"LastEvaluatedKey": _key(found[-1])} if len(found) == request["Limit"] else {}
        return {"Items": found, **last}

    def _write(self, operation: str, request: Request) -> dict[str, Any]:
        key = _key(request["Item"] if operation == "PutItem" else request["Key"])
        old = self._row(key)
        if "ConditionExpression" in request and not condition(request["ConditionExpression"])(old or {}, request):
            found = {"Item": old} if old and request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" else {}
            return {"Error": {"Code": "ConditionalCheckFailedException", "Message": "no"}, **found}
        new = None
        if operation != "DeleteItem":
            new = request["Item"] if operation == "PutItem" else updated(old or key, request)
        self._replace(key, old, new)
        return {}

    def _row(self, key: Typed) -> Typed | None:
        return self.partitions.get(key[_PARTITION]["S"], {}).get(key[_SORT]["S"])

    def _replace(self, key: Typed, old: Typed | None, new: Typed | None) -> None:
        if old == new:
            return  # as in DynamoDB, what changes nothing is not told
        rows = self.partitions.setdefault(key[_PARTITION]["S"], {})
        if new is None:
            del rows[key[_SORT]["S"]]
        else:
            rows[key[_SORT]["S"]] = new
        self._changes += 1
        images = {"OldImage": old, "NewImage": new}
        self._records.append(
            {
                "eventID": blake2s(str(self._changes).encode(), digest_size=16).hexdigest(),
                "eventName": "INSERT" if old is None else "REMOVE" if new is None else "MODIFY",
                "dynamodb": {"Keys": key, **{name: image for name, image in images.items() if image is not None}},
                "eventSourceARN": ARN,
            }
        )


def _key(row: Typed) -> Typed:
    return {name: row[name] for name in KEYS.names}


def nobody(_: str, __: str) -> None:
    """Be told, and do nothing."""
