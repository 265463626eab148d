"""AWS in memory: tables, their indexes and streams, the bus, queues and buckets in this process, without moto.

It knows the requests that our code makes, and raises `NotImplementedError` at all others. As DynamoDB, it refuses keys
that are empty or too long, also those of indexes, and rows that are too large. Hooks on clients (`wire.py`) work as on
moto; what is lost on the way is asked once more, as botocore does.
"""

import io
import json
import os
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from hashlib import blake2s, md5
from itertools import count
from threading import RLock
from types import SimpleNamespace
from typing import Any, Final, Self
from unittest.mock import patch

from botocore.client import BaseClient
from botocore.exceptions import ClientError, ReadTimeoutError

from andon.drift import recompute
from andon.dynamodb.attribute_values import Item, Typed, to_plain
from andon.dynamodb.schema import Keys, TableSchema
from andon.packages.discovery import readers, recomputed, restorers, restorers_as_json, views_as_json
from andon.packages.package import Package
from andon.runtime import clock
from andon.stores.archive.jobs import QUEUE, RESTORERS
from andon.stores.faults.store import queue_variable
from andon.stores.replays import settings as replays
from andon.tools.in_process.expressions import Request, condition
from andon.tools.in_process.lambda_events import bus_members
from andon.tools.in_process.world import ENVIRONMENT, InProcess, to_text
from andon.wire import aws
from tests.support.table_in_memory import Record, TableInMemory
from tests.support.wire import ANSWERED

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
MAX_PARTITION_KEY_BYTES: Final = 2048
MAX_SORT_KEY_BYTES: Final = 1024
MAX_ITEM_BYTES: Final = 400 * 1024

Sortable = str | int
Answer = dict[str, Any]


class AwsInMemory(InProcess):
    """A world in memory; what another class of `InProcess` declares is so, too, if this one is its first base."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = {variable: StreamedTable(variable, schema) for variable, schema in self.schemas.items()}
        self.queues: dict[str, list[str]] = defaultdict(list)
        self._on_the_bus: list[str] = []
        self.pushed: list[tuple[str, str]] = []  # pairs of topic and body
        self._taken = count()
        self._objects: dict[str, dict[str, bytes]] = {bucket: {} for bucket in self.buckets.values()}
        self._lock = RLock()

    def __enter__(self) -> Self:
        variables = ENVIRONMENT | {variable: variable for variable in self.schemas} | self.buckets
        queues = {QUEUE, replays.QUEUE, *(queue_variable(package.name) for package in readers())}
        queues |= {package.restore_queue for package in restorers() if package.plays("restore")}
        queues |= {recompute.queue_variable(package.name) for package in recomputed()}
        variables |= {name: name for name in queues} | {
            RESTORERS: restorers_as_json(),
            replays.VIEWS: views_as_json(readers()),
            replays.SETTLES: "0",
        }
        self._stack = ExitStack()
        self._stack.enter_context(patch.dict(os.environ, variables))
        aws.forget()
        self._stack.callback(aws.forget)  # the stand-ins go with the clients
        self._stack.enter_context(patch.object(BaseClient, "_make_api_call", self._stand_in()))
        return self

    def clear(self) -> None:
        """Forget all rows, records, messages and objects; the clients stay, for to make them takes long."""
        for table in self.tables.values():
            table.clear()
        for kept in self._objects.values():
            kept.clear()
        self.queues.clear()
        self._on_the_bus.clear()
        self.pushed.clear()

    def typed_rows(self, table: str) -> list[dict[str, Any]]:
        """Return all rows of a table with DynamoDB's type descriptors."""
        return [row for rows in self.tables[table].partitions.values() for row in rows.values()]

    def objects(self, variable: str) -> list[Item]:
        """Return all objects of a bucket, in the order of their keys: `{Key, Body}`."""
        kept = self._objects[self.buckets[variable]]
        return [{"Key": key, "Body": to_text(body)} for key, body in sorted(kept.items())]

    def new_records(self, table: str) -> list[dict[str, Any]]:
        """Return the records of a stream since the last call, as Lambda gets them."""
        return self.tables[table].new_records()

    def new_messages(self) -> list[str]:
        """Return what was published since the last call, as bodies of a queue's messages."""
        bodies, self._on_the_bus = self._on_the_bus, []
        return bodies

    def resubmitted(self, package: Package) -> list[str]:
        """Return the messages that were put directly on a package's own queue."""
        return self.queues.pop(queue_variable(package.name), [])

    def restoring(self, package: Package) -> list[str]:
        """Return the messages that bring back what a package kept."""
        return self.queues.pop(package.restore_queue, [])

    def to_recompute(self, package: Package) -> list[str]:
        """Return what a view is asked to recompute; nothing is delayed."""
        return self.queues.pop(recompute.queue_variable(package.name), [])

    def asked_of_archive(self) -> list[str]:
        """Return the days of rehydrations that wait."""
        return self.queues.pop(QUEUE, [])

    def asked_of_replays(self) -> list[str]:
        """Return the days and objects of replays that wait."""
        return self.queues.pop(replays.QUEUE, [])

    def _stand_in(self) -> Callable[[Any, str, Request], Answer]:
        """Return what all clients call: one world may be inside another, which is there again afterwards."""

        def call(client: Any, operation: str, request: Request) -> Answer:  # noqa: ANN401  botocore has no types
            return self._call(client.meta, operation, request)

        return call

    def _call(self, meta: Any, operation: str, request: Request) -> Answer:  # noqa: ANN401
        """Do what a client asks for, past its hooks."""
        events, service = meta.events, meta.service_model
        name, model = f"{service.service_id.hyphenize()}.{operation}", service.operation_model(operation)
        context: dict[str, Any] = {}
        events.emit(f"provide-client-params.{name}", params=request, model=model, context=context)
        _, replied = events.emit_until_response(f"before-call.{name}", params=request, model=model, context=context)
        answer: Answer = replied[1] if replied else self._answer(service.service_name, operation, request)
        try:
            events.emit(f"{ANSWERED}.{name}", request=SimpleNamespace(url="aws in memory"))
        except ReadTimeoutError:
            answer = self._answer(service.service_name, operation, request)
        response = SimpleNamespace(status_code=400 if "Error" in answer else 200)
        events.emit(f"after-call.{name}", http_response=response, parsed=answer, model=model, context=context)
        if "Error" in answer:
            raise ClientError(answer, operation)
        return answer

    def _answer(self, service: str, operation: str, request: Request) -> Answer:
        with self._lock:
            answer: Answer = getattr(self, f"_{service.replace('-', '_')}")(operation, request)
        return answer

    def _dynamodb(self, operation: str, request: Request) -> Answer:
        match operation:
            case "TransactWriteItems":
                return self._transact(request["TransactItems"])
            case "BatchGetItem":
                return {"Responses": {name: self.tables[name].found(one["Keys"]) for name, one in _asked(request)}}
            case "BatchWriteItem":
                for name, puts in _asked(request):
                    for put in puts:
                        self.tables[name].do("PutItem", {"TableName": name, **put["PutRequest"]})
                return {}
        return self.tables[request["TableName"]].do(operation, request)

    def _transact(self, items: list[dict[str, Request]]) -> Answer:
        parts = [(*item.popitem(),) for item in [dict(item) for item in items]]
        reasons = [self.tables[part["TableName"]].refusal(kind, part) for kind, part in parts]
        if any(reason["Code"] != "None" for reason in reasons):
            return {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": reasons}
        for kind, part in parts:
            if kind != "ConditionCheck":
                self.tables[part["TableName"]].do(f"{kind}Item", part)
        return {}

    def _events(self, operation: str, request: Request) -> Answer:
        if operation != "PutEvents":
            raise NotImplementedError(operation)
        for entry in request["Entries"]:
            envelope = {"version": "0", "source": entry["Source"], "detail-type": entry["DetailType"]}
            envelope |= bus_members(f"entry {next(self._taken)}", clock.now_ms())
            self._on_the_bus.append(json.dumps({**envelope, "detail": json.loads(entry["Detail"])}, ensure_ascii=False))
        return {"FailedEntryCount": 0, "Entries": [{"EventId": "taken"} for _ in request["Entries"]]}

    def _iot_data(self, operation: str, request: Request) -> Answer:
        if operation != "Publish":
            raise NotImplementedError(operation)
        self.pushed.append((request["topic"], request["payload"].decode()))
        return {}

    def _iot(self, operation: str, request: Request) -> Answer:
        if (operation, request) != ("DescribeEndpoint", {"endpointType": "iot:Data-ATS"}):
            raise NotImplementedError(operation)
        return {"endpointAddress": "a1-ats.iot.us-east-1.amazonaws.com"}

    def _sts(self, operation: str, _: Request) -> Answer:
        if operation != "AssumeRole":
            raise NotImplementedError(operation)
        return {"Credentials": {"AccessKeyId": "ASIA", "SecretAccessKey": "secret", "SessionToken": "token"}}

    def _sqs(self, operation: str, request: Request) -> Answer:
        entries = request["Entries"] if operation == "SendMessageBatch" else [request]
        if operation not in {"SendMessage", "SendMessageBatch"}:
            raise NotImplementedError(operation)
        self.queues[request["QueueUrl"]] += [entry["MessageBody"] for entry in entries]
        return {}

    def _s3(self, operation: str, request: Request) -> Answer:
        kept, key = self._objects[request["Bucket"]], request.get("Key", "")
        match operation:
            case "GetObject" if key in kept:
                return {"Body": io.BytesIO(kept[key][_part(request)]), "ETag": _etag(kept[key])}
            case "GetObject":
                return {"Error": {"Code": "NoSuchKey"}}
            case "PutObject":
                if _is_refused(kept.get(key), request):
                    return {"Error": {"Code": "PreconditionFailed"}}
                kept[key] = request["Body"]
                return {}
            case "DeleteObject":
                kept.pop(key, None)
                return {}
            case "ListObjectsV2":
                return _listed(kept, request)
        raise NotImplementedError(operation)


class StreamedTable(TableInMemory):
    """One table with its indexes, its limits and its TTL."""

    def __init__(self, variable: str, schema: TableSchema) -> None:
        super().__init__(variable, schema.keys)
        self._schema = schema

    def do(self, operation: str, request: Request) -> Answer:
        """Answer one request."""
        return self._do(operation, request)

    def found(self, keys: list[Typed]) -> list[Typed]:
        """Return the rows of some keys that are there."""
        return [row for key in keys if (row := self._row(key)) is not None]

    def refusal(self, kind: str, part: Request) -> Answer:
        """Return why a part of a transaction cannot be written; the code is `None` if it can."""
        old = self._row(self._key(part["Item"]) if kind == "Put" else part["Key"])
        if "ConditionExpression" not in part or condition(part["ConditionExpression"])(old or {}, part):
            return {"Code": "None"}
        return {"Code": "ConditionalCheckFailed", **({"Item": old} if old else {})}

    def new_records(self) -> list[Record]:
        """Take the stream's records since the last time; a table without a stream has none."""
        records = super().new_records()
        for record in records:  # as in AWS, no two streams have a record of the same id
            record["eventID"] = blake2s(f"{self._variable}{record['eventID']}".encode(), digest_size=16).hexdigest()
        return records if self._schema.stream else []

    def reap(self, now_ms: int) -> None:
        """Remove the rows that have expired, where the table declares a ttl."""
        if self._schema.expires:
            super().reap(now_ms)

    def _write(self, operation: str, request: Request) -> Answer:
        before = self.partitions
        answer = super()._write(operation, request)
        key = self._key(request["Item"]) if operation == "PutItem" else request["Key"]
        if operation != "DeleteItem" and "Error" not in answer and self._is_refused(self._row(key) or {}):
            self.partitions = before
            self._records.pop()
            return {"Error": {"Code": "ValidationException", "Message": "no"}}
        return answer

    def _is_refused(self, row: Typed) -> bool:
        every = [self._keys, *(index.keys for index in self._schema.indexes.values())]
        return _size(row) > MAX_ITEM_BYTES or any(_is_no_key(row, keys) for keys in every)

    def _query(self, request: Request) -> Answer:
        keys = self._schema.indexes[request["IndexName"]].keys if "IndexName" in request else self._keys
        values = {place: _sortable(value) for place, value in request["ExpressionAttributeValues"].items()}
        of_index = [rows for rows in self.partitions.values() if "IndexName" in request]
        found = [
            row
            for rows in of_index or [self.partitions.get(request["ExpressionAttributeValues"][":p"]["S"], {})]
            for row in rows.values()
            if all(name in row for name in keys.names)
            and _sortable(row[keys.partition]) == values[":p"]
            and (keys.sort is None or _fits(request["KeyConditionExpression"], _sortable(row[keys.sort]), values))
        ]
        forward = request["ScanIndexForward"]
        found.sort(key=partial(self._order, keys), reverse=not forward)
        if start := request.get("ExclusiveStartKey"):
            at = self._order(keys, start)
            found = [row for row in found if (self._order(keys, row) > at) == forward and self._order(keys, row) != at]
        page = found[: request["Limit"]]
        names = {*keys.names, *self._keys.names}
        more = len(page) == request["Limit"]
        return {"Items": page, **({"LastEvaluatedKey": {name: page[-1][name] for name in names}} if more else {})}

    def _order(self, keys: Keys, row: Typed) -> tuple[Sortable, ...]:
        return (*([_sortable(row[keys.sort])] if keys.sort else []), *self._place(row))

    def _place(self, key: Typed) -> tuple[str, str]:
        sort = key[self._keys.sort] if self._keys.sort else {"S": ""}
        return key[self._keys.partition]["S"], sort["S"] if "S" in sort else f"{int(sort['N']):020d}"


def _asked(request: Request) -> list[tuple[str, Any]]:
    return [*request["RequestItems"].items()]


def _is_no_key(row: Typed, keys: Keys) -> bool:
    """Return whether an attribute of a key is there and can be none."""
    limits = zip(keys.names, (MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES), strict=False)
    kinds = ("S", keys.sort_type)
    for (name, limit), kind in zip(limits, kinds, strict=False):
        if name in row and (kind not in row[name] or not 1 <= len(str(row[name][kind]).encode()) <= limit):
            return True
    return False


def _fits(expression: str, sort: Sortable, values: dict[str, Any]) -> bool:
    match expression.removeprefix("#p = :p").removeprefix(" AND "):
        case "":
            return True
        case "begins_with(#s, :s)":
            return str(sort).startswith(values[":s"])
        case "#s BETWEEN :s AND :t":
            return bool(values[":s"] <= sort <= values[":t"])
        case "#s < :s":
            return bool(sort < values[":s"])
        case "#s > :s":
            return bool(sort > values[":s"])
    raise NotImplementedError(expression)


def _sortable(value: dict[str, Any]) -> Sortable:
    return int(value["N"]) if "N" in value else str(value["S"])


def _size(row: Typed) -> int:
    return len(json.dumps(to_plain(row), ensure_ascii=False, default=str).encode(errors="replace"))


def _is_refused(body: bytes | None, request: Request) -> bool:
    """Return whether an object is not to be put because of what is there."""
    is_another = "IfMatch" in request and (body is None or request["IfMatch"] != _etag(body))
    return is_another or ("IfNoneMatch" in request and body is not None)


def _etag(body: bytes) -> str:
    return f'"{md5(body, usedforsecurity=False).hexdigest()}"'


def _part(request: Request) -> slice:
    """Return which bytes a request wants: all, or those of its range."""
    if "Range" not in request:
        return slice(None)
    first, last = request["Range"].removeprefix("bytes=").split("-")
    return slice(int(first), int(last) + 1)


def _listed(kept: dict[str, bytes], request: Request) -> Answer:
    """List keys or, with a delimiter, folders; one page has them all."""
    prefix, after = request["Prefix"], request.get("StartAfter", "")
    keys = sorted(key for key in kept if key.startswith(prefix) and key > after)
    if "Delimiter" not in request:
        return {"Contents": [{"Key": key} for key in keys]}
    folders = {f"{prefix}{key.removeprefix(prefix).split('/')[0]}/" for key in keys}
    return {"CommonPrefixes": [{"Prefix": folder} for folder in sorted(folders)]}
