"""AWS in memory: tables, their indexes and streams, the bus, queues, buckets and IoT's broker in this process.

It stands under the wire, so that production's own requests, retries and turns run through it. It knows the requests
that our code makes, and raises `NotImplementedError` at all others; what it answers is compared with moto.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack
from http import HTTPStatus
from threading import RLock
from types import TracebackType
from typing import Final, Self
from unittest.mock import patch
from urllib.parse import parse_qsl, urlsplit

from andon.dynamodb.attribute_values import Item, to_plain
from andon.dynamodb.schema import Keys, TableSchema
from andon.events.group import details_in
from andon.events.publish import GROUPED
from andon.project import project
from andon.runtime import clock, times
from andon.runtime.json_types import JsonObject
from andon.testing.environment import ENVIRONMENT, environment
from andon.testing.memory.hook import Answer, AwsRefused, Call, in_place_of_aws, invalid
from andon.testing.memory.meter import Meter
from andon.testing.memory.objects import Objects
from andon.testing.memory.queues import MemoryQueues
from andon.testing.memory.tables import MemoryTable, Observer, Partitions, Record, WriteKind
from andon.wire import aws_json, retries
from andon.wire.credentials import ANY_BODY, Signed, credentials, presigned, region

Request = JsonObject
Refuse = Callable[[int, Request], str | None]
"""The number of a write (from 1) and its request -> the code of the error that it gets; None lets it through."""

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html, …/API_TransactWriteItems.html
_MOST_READ: Final = 100
_MOST_TRANSACTED: Final = 100
_MOST_ENTRIES: Final = 10

_WRITES: Final[Mapping[str, WriteKind]] = {"PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete"}


class AwsInMemory(AbstractContextManager["AwsInMemory"]):
    """Answers this process's requests while the context lasts; a table is called as its environment variable is.

    store: the objects of each bucket. bus: the entries that it took. pushed: pairs of topic and body that IoT took.
    things: the ids of the certificates of each of IoT's things. secrets: the values of each secret, the current one
    first. observer: sees what requests do to tables, as `meter.Meter` does.
    """

    def __init__(
        self, schemas: Mapping[str, TableSchema], buckets: Iterable[str] = (), observer: Observer | None = None
    ) -> None:
        self.schemas = schemas
        self.tables = {name: MemoryTable(name, schema, observer) for name, schema in schemas.items()}
        self.store = {bucket: Objects() for bucket in buckets}
        self.queues = MemoryQueues()
        self.bus: list[dict[str, str]] = []
        self.pushed: list[tuple[str, str]] = []
        self.things: dict[str, list[str]] = {}
        self.secrets: dict[str, list[str]] = {}
        self._refuse: Refuse = lambda *_: None
        self._writes = 0
        self._done: set[str | None] = set()  # the tokens of transactions
        self._lock = RLock()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        self._stack.enter_context(environment(self.variables()))
        # `answer` is looked up at each call, so that a test can stand between.
        self._stack.enter_context(in_place_of_aws(lambda call: self.answer(call)))  # noqa: PLW0108
        self._stack.enter_context(patch.object(retries, "QUOTA", retries.RetryQuota()))
        self._stack.enter_context(patch.object(aws_json, "pause", _no_time_passes))  # between attempts
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def variables(self) -> dict[str, str]:
        """Return the environment of handlers."""
        grouped = {GROUPED: "1"} if project().grouped else {}
        return ENVIRONMENT | grouped | {name: name for name in self.tables} | {bucket: bucket for bucket in self.store}

    def clear(self) -> None:
        """Forget all rows, records, messages and objects."""
        for table in self.tables.values():
            table.clear()
        for bucket in self.store.values():
            bucket.bodies.clear()
        self.queues.clear()
        self.things.clear()
        self.bus, self.pushed = [], []

    def refuse(self, code_of: Refuse) -> None:
        """Answer writes of single rows with errors from here on."""
        self._writes, self._refuse = 0, code_of

    def busy_after(self, writes: int | None) -> None:
        """Throttle every write behind the first `writes`; None: no write."""
        self.refuse(lambda number, _: "ThrottlingException" if writes is not None and number > writes else None)

    def reap(self, now_ms: int) -> None:
        """Remove the rows that have expired, as the TTL service does, which the stream says."""
        for table in self.tables.values():
            table.reap(now_ms)

    def answer(self, call: Call) -> Answer:
        """Answer one call, at once for all threads.

        Raises:
            Refused: AWS refuses it.

        """
        with self._lock:
            return self._ANSWERS[call.service](self, call.operation, call.request)

    def _dynamodb(self, operation: str, request: Request) -> Answer:
        """Answer DynamoDB's part, with what it cost if the request asks for that."""
        if "ReturnConsumedCapacity" not in request:
            return self._on_tables(operation, request)
        meter = Meter()
        before = {name: table.observer for name, table in self.tables.items()}
        for table in self.tables.values():
            table.observer = meter
        try:
            answer = self._on_tables(operation, request)
        finally:
            for name, table in self.tables.items():
                table.observer = before[name]
        consumed = [{"TableName": name, "CapacityUnits": units} for name, units in meter.used.by_table().items()]
        is_of_many = operation in {"BatchGetItem", "TransactWriteItems"}
        return {**answer, "ConsumedCapacity": consumed if is_of_many else consumed[0]}

    def _on_tables(self, operation: str, request: Request) -> Answer:
        match operation:
            case "GetItem":
                return self._table(request).get(request)
            case "PutItem" | "UpdateItem" | "DeleteItem":
                return self._write(_WRITES[operation], request)
            case "Query" | "Scan":
                table = self._table(request)
                return table.query(request) if operation == "Query" else table.scan(request)
            case "BatchGetItem":
                return self._get_many(request["RequestItems"])
            case "BatchWriteItem":
                return self._put_many(request["RequestItems"])
            case "TransactWriteItems":
                return self._transact_once(request)
        raise NotImplementedError(operation)

    def _table(self, request: Request) -> MemoryTable:
        if request["TableName"] not in self.tables:
            raise AwsRefused("ResourceNotFoundException", message="Requested resource not found")
        return self.tables[request["TableName"]]

    def _write(self, kind: WriteKind, request: Request) -> Answer:
        self._writes += 1
        if code := self._refuse(self._writes, request):
            raise AwsRefused(code, message=f"{code} of table Secret")
        return self._table(request).write(kind, request)

    def _get_many(self, asked: Request) -> Answer:
        if not 1 <= sum(len(some["Keys"]) for some in asked.values()) <= _MOST_READ:
            raise invalid("Too many items requested for the BatchGetItem call")
        found = {name: self._table({"TableName": name}).get_many(some) for name, some in asked.items()}
        return {"Responses": found, "UnprocessedKeys": {}}

    def _put_many(self, asked: Request) -> Answer:
        for name, puts in asked.items():
            for put in puts:
                self._table({"TableName": name}).write("Put", put["PutRequest"])
        return {"UnprocessedItems": {}}

    def _transact_once(self, request: Request) -> Answer:
        """Do a transaction, unless it was done at an attempt whose answer was lost."""
        token = request.get("ClientRequestToken")
        if token not in self._done:
            self._transact([(*item.items(),)[0] for item in request["TransactItems"]])
            self._done |= {token} - {None}
        return {}

    def _transact(self, items: list[tuple[WriteKind, Request]]) -> None:
        """Do all writes, if the conditions of all hold."""
        if len(items) > _MOST_TRANSACTED:
            raise invalid("Member must have length less than or equal to 100")
        planned = [(table := self._table(one), table.plan(kind, one)) for kind, one in items]
        reasons = [plan if isinstance(plan, dict) else {"Code": "None"} for _, plan in planned]
        places = [(table.name, json.dumps(plan.key)) for table, plan in planned if not isinstance(plan, dict)]
        if len(set(places)) < len(places):
            raise invalid("Transaction request cannot include multiple operations on one item")
        if any(reason["Code"] != "None" for reason in reasons):
            message = f"Transaction cancelled, specific reasons [{', '.join(reason['Code'] for reason in reasons)}]"
            raise AwsRefused("TransactionCanceledException", message=message, CancellationReasons=reasons)
        for table, plan in planned:
            if not isinstance(plan, dict):
                table.apply(plan, times=2)  # a transaction prepares and commits

    def _events(self, operation: str, request: Request) -> Answer:
        if operation != "PutEvents":
            raise NotImplementedError(operation)
        if not 1 <= len(request["Entries"]) <= _MOST_ENTRIES:
            raise invalid("Member must have length between 1 and 10")
        self.bus += request["Entries"]
        return {"FailedEntryCount": 0, "Entries": [{"EventId": "taken"} for _ in request["Entries"]]}

    def _iot_data(self, operation: str, request: Request) -> Answer:
        if operation != "Publish":
            raise NotImplementedError(operation)
        self.pushed.append((request["topic"], request["payload"].decode()))
        return {}

    def _iot(self, operation: str, request: Request) -> Answer:
        match operation, request:
            case "DescribeEndpoint", {"endpointType": "iot:Data-ATS"}:
                return {"endpointAddress": "a1-ats.iot.us-east-1.amazonaws.com"}
            case "ListThingPrincipals", {"thingName": thing}:
                return {"principals": self._certificates_of(thing)}
        raise NotImplementedError(operation)

    def _certificates_of(self, thing: str) -> list[str]:
        if thing not in self.things:
            raise AwsRefused("ResourceNotFoundException", status=404, message=f"Thing {thing} not found")
        return [f"arn:aws:iot:us-east-1:000000000000:cert/{certificate}" for certificate in self.things[thing]]

    def _secretsmanager(self, operation: str, request: Request) -> Answer:
        if operation != "GetSecretValue":
            raise NotImplementedError(operation)
        values = self.secrets.get(request["SecretId"], [])
        index = ("AWSCURRENT", "AWSPREVIOUS").index(request["VersionStage"])
        if index >= len(values):
            raise AwsRefused("ResourceNotFoundException", message="Secrets Manager can't find it.")
        return {"SecretString": values[index]}

    def _sts(self, operation: str, _: Request) -> Answer:
        if operation != "AssumeRole":
            raise NotImplementedError(operation)
        return {"Credentials": {"AccessKeyId": "ASIA", "SecretAccessKey": "secret", "SessionToken": "token"}}

    def _sqs(self, operation: str, request: Request) -> Answer:
        return self.queues.answer(operation, request)

    def _s3(self, operation: str, request: Request) -> Answer:
        if request["Bucket"] not in self.store:
            raise AwsRefused("NoSuchBucket", status=404)
        return self.store[request["Bucket"]].answer(operation, request)

    _ANSWERS: Final = {
        "dynamodb": _dynamodb,
        "events": _events,
        "iot": _iot,
        "iot-data": _iot_data,
        "s3": _s3,
        "secretsmanager": _secretsmanager,
        "sqs": _sqs,
        "sts": _sts,
    }


def _no_time_passes(_: float) -> None:
    """Pause for no time."""


class OneTable(AwsInMemory):
    """AWS with one table, which has a stream."""

    def __init__(self, variable: str, keys: Keys) -> None:
        super().__init__({variable: TableSchema(keys, stream=True)})
        self.table = self.tables[variable]

    @property
    def published(self) -> list[dict[str, str]]:
        """The facts that the bus took, each in an entry of its own."""
        return [{**entry, "Detail": detail} for entry in self.bus for detail in details_in(entry["Detail"])]

    @property
    def partitions(self) -> Partitions:
        """A copy of the rows, which can be kept and put back."""
        return self.table.partitions

    @partitions.setter
    def partitions(self, rows: Partitions) -> None:
        self.table.partitions = rows

    def rows(self, partition: str | None = None) -> list[Item]:
        """Return the rows of a partition, or of all, in the order of their keys."""
        return [to_plain(row) for row in self.table.rows(partition)]

    def new_records(self) -> list[Record]:
        """Take the stream's records since the last time, as Lambda gets them."""
        return self.table.new_records()


# Requests by presigned addresses -> the buckets of AWS in memory, as a browser makes them and S3 answers.

OWN: Final = "X-Amz-"
SIGNED: Final = "X-Amz-SignedHeaders"


def request(
    world: AwsInMemory, method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> tuple[int, bytes]:
    """Send a request by a presigned address; return status and body. A client says its length itself."""
    sent = {name.lower(): value for name, value in (headers or {}).items()}
    if method == "PUT":
        sent["content-length"] = str(len(body))
    parts = urlsplit(url)
    bucket, _, key = parts.path.removeprefix("/").partition("/")
    if parts.netloc.partition(".")[0] in world.store:
        bucket, key = parts.netloc.partition(".")[0], parts.path.removeprefix("/")
    if not _is_signed(method, url, sent):
        return HTTPStatus.FORBIDDEN, b"SignatureDoesNotMatch"
    try:
        if method == "GET":
            found = world.answer(Call("s3", "GetObject", {"Bucket": bucket, "Key": key}))
            return HTTPStatus.OK, found["Body"].read()
        checksum = {"ChecksumSHA256": sent["x-amz-checksum-sha256"]} if "x-amz-checksum-sha256" in sent else {}
        world.answer(Call("s3", "PutObject", {"Bucket": bucket, "Key": key, "Body": body, **checksum}))
    except AwsRefused as refused:
        return refused.status, refused.code.encode()
    return HTTPStatus.OK, b""


def _is_signed(method: str, url: str, sent: Mapping[str, str]) -> bool:
    """Return True if an address is of our signature, allows the request, and has not expired."""
    parts, query = urlsplit(url), dict(parse_qsl(urlsplit(url).query))
    names = query[SIGNED].split(";")
    if not {*names} <= {*sent, "host"}:
        return False
    seconds, signed_at = int(query["X-Amz-Expires"]), query["X-Amz-Date"]
    at_ms = times.to_ms(f"{signed_at[:4]}-{signed_at[4:6]}-{signed_at[6:11]}:{signed_at[11:13]}:{signed_at[13:15]}Z")
    signed = Signed(
        method,
        {name: sent[name] for name in names if name != "host"},
        {name: value for name, value in query.items() if not name.startswith(OWN)},
        ANY_BODY,
        signs_token=True,
    )
    own = presigned(
        f"{parts.scheme}://{parts.netloc}{parts.path}",
        service="s3",
        region=region(),
        credentials=credentials(),
        now_ms=at_ms,
        seconds=seconds,
        signed=signed,
    )
    return own == url and clock.now_ms() <= at_ms + seconds * 1000
