"""A DynamoDB table, its stream and the bus in this process: a stand-in for AWS, many times as fast as moto.

It knows the requests and the expressions that our code writes, and raises `NotImplementedError` at all others.
`test_table_in_memory.py` compares it with moto.
"""

import os
from collections.abc import Callable, Mapping
from hashlib import blake2s
from threading import Lock
from typing import Any, Final, Self
from unittest.mock import patch

from botocore.exceptions import ClientError

from andon.dynamodb.attribute_values import Item, Typed, to_plain
from andon.dynamodb.schema import Keys
from andon.dynamodb.ttl import is_expired
from andon.events.change_data_capture import TTL_SERVICE
from andon.tools.in_process.expressions import FITS, Request, condition, updated
from andon.tools.in_process.world import ACCOUNT, ENVIRONMENT, REGION
from andon.wire import aws

SERVICES: Final = ("dynamodb", "events")

Record = dict[str, Any]
Partitions = Mapping[str, Mapping[str, Typed]]
"""Partition key -> sort key (empty text where the table has none) -> row."""
Refuse = Callable[[int, Request], str | None]
"""The number of a write (from 1) and its request -> the code of the error that it gets; None lets it through."""


class TableInMemory:
    """One table, named after its environment variable, and a bus that takes everything, while the context lasts.

    partitions: the rows; no write changes the mapping, each replaces it, so that it can be kept and put back.
    published: the entries that the bus took.
    """

    def __init__(self, variable: str, keys: Keys) -> None:
        self.partitions: Partitions = {}
        self.published: list[dict[str, str]] = []
        self._variable, self._keys = variable, keys
        self._records: list[Record] = []
        self._changes = self._writes = 0
        self._refuse: Refuse = _never
        self._lock = Lock()  # a write of one row is atomic
        self._environment = patch.dict(os.environ, ENVIRONMENT | {variable: variable})

    def __enter__(self) -> Self:
        self._environment.start()
        aws.forget()
        for service in SERVICES:
            # Where botocore has chosen an operation and not yet begun with HTTP, which is most of what a call costs.
            aws.client(service)._make_api_call = self._call  # noqa: SLF001
        return self

    def __exit__(self, *_: object) -> None:
        aws.forget()  # the stand-in goes with the clients
        self._environment.stop()

    def rows(self, partition: str | None = None) -> list[Item]:
        """Return the rows of a partition, or of all, in the order of their keys."""
        chosen = sorted(self.partitions) if partition is None else [partition]
        return [to_plain(row) for key in chosen for _, row in sorted(self.partitions.get(key, {}).items())]

    def clear(self) -> None:
        """Remove all rows, records and entries."""
        self.partitions, self.published, self._records = {}, [], []

    def new_records(self) -> list[Record]:
        """Take the stream's records since the last time, as Lambda gets them."""
        records, self._records = self._records, []
        return records

    def reap(self, now_ms: int) -> None:
        """Remove the rows that have expired, as the TTL service does, which the stream tells of."""
        for row in [row for rows in self.partitions.values() for row in rows.values()]:
            if "ttl" in row and is_expired(int(row["ttl"]["N"]), now_ms):
                self._replace(self._key(row), row, None)
                self._records[-1]["userIdentity"] = {"type": "Service", "principalId": TTL_SERVICE}

    def refuse(self, code_of: Refuse) -> None:
        """Answer writes with errors from here on."""
        self._writes, self._refuse = 0, code_of

    def busy_after(self, writes: int | None) -> None:
        """Throttle every write behind the first `writes`; None: no write."""
        self.refuse(lambda number, _: "ThrottlingException" if writes is not None and number > writes else None)

    def _call(self, operation: str, request: Request) -> dict[str, Any]:
        with self._lock:
            answer = self._do(operation, request)
        if "Error" in answer:
            raise ClientError(answer, operation)
        return answer

    def _do(self, operation: str, request: Request) -> dict[str, Any]:
        if operation == "PutEvents":
            self.published += request["Entries"]
            return {"FailedEntryCount": 0, "Entries": [{"EventId": "taken"} for _ in request["Entries"]]}
        if request.get("TableName") != self._variable:
            raise NotImplementedError(f"{operation} of another table")
        match operation:
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
        fits = FITS[request["KeyConditionExpression"]]
        values = {place: value["S"] for place, value in request["ExpressionAttributeValues"].items()}
        rows = self.partitions.get(values[":p"], {})
        forward = request["ScanIndexForward"]
        sorts = sorted(
            (sort for sort in rows if fits(sort, values.get(":s", ""), values.get(":t", ""))), reverse=not forward
        )
        if start := request.get("ExclusiveStartKey"):
            is_behind = str.__gt__ if forward else str.__lt__
            sorts = [sort for sort in sorts if is_behind(sort, self._place(start)[1])]
        found = [rows[sort] for sort in sorts[: request["Limit"]]]
        # As DynamoDB does, and moto does not: a page that is full has a key to go on from, even if nothing follows.
        more = {"LastEvaluatedKey": self._key(found[-1])} if len(found) == request["Limit"] else {}
        return {"Items": found, **more}

    def _write(self, operation: str, request: Request) -> dict[str, Any]:
        self._writes += 1
        if code := self._refuse(self._writes, request):
            return {"Error": {"Code": code, "Message": f"{code} of table Secret"}}
        key = self._key(request["Item"]) if operation == "PutItem" else request["Key"]
        old = self._row(key)
        if "ConditionExpression" in request and not condition(request["ConditionExpression"])(old or {}, request):
            found = {"Item": old} if old and request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" else {}
            return {"Error": {"Code": "ConditionalCheckFailedException", "Message": "no"}, **found}
        new = None
        if operation != "DeleteItem":
            new = request["Item"] if operation == "PutItem" else updated(old or key, request)
        if request.get("ReturnValues") not in {None, "ALL_NEW"}:
            raise NotImplementedError(request["ReturnValues"])
        if new != old:  # as in DynamoDB, the stream has no record of what changes nothing
            self._replace(key, old, new)
        return {"Attributes": new} if "ReturnValues" in request else {}

    def _replace(self, key: Typed, old: Typed | None, new: Typed | None) -> None:
        partition, sort = self._place(key)
        rows = {other: row for other, row in self.partitions.get(partition, {}).items() if other != sort}
        others = {name: rows for name, rows in self.partitions.items() if name != partition}
        if new is not None:
            rows[sort] = new
        self.partitions = {**others, partition: rows} if rows else others
        self._changes += 1
        images = {"OldImage": old, "NewImage": new}
        self._records.append(
            {
                "eventID": blake2s(str(self._changes).encode(), digest_size=16).hexdigest(),
                "eventName": "INSERT" if old is None else "REMOVE" if new is None else "MODIFY",
                "dynamodb": {"Keys": key, **{name: image for name, image in images.items() if image is not None}},
                "eventSourceARN": f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{self._variable}/stream/2020-01-01",
            }
        )

    def _row(self, key: Typed) -> Typed | None:
        partition, sort = self._place(key)
        return self.partitions.get(partition, {}).get(sort)

    def _place(self, key: Typed) -> tuple[str, str]:
        return key[self._keys.partition]["S"], key[self._keys.sort]["S"] if self._keys.sort else ""

    def _key(self, row: Typed) -> Typed:
        return {name: row[name] for name in self._keys.names}


def _never(_: int, __: Request) -> None:
    return None
