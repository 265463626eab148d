"""AWS for handlers in this process, on moto: declared tables and buckets, queues, a bus. One thread at a time."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Self

import moto.core  # before any client: it patches botocore when it is imported

from andon.drift import recompute
from andon.dynamodb.attribute_values import Item, to_plain
from andon.packages.discovery import packages, readers, recomputed, restorers, restorers_as_json, views_as_json
from andon.packages.package import Package
from andon.runtime import clock
from andon.stores.archive.jobs import QUEUE, RESTORERS
from andon.stores.faults.store import queue_variable
from andon.stores.replays import settings as replays
from andon.tools.in_process.create_table import create_table_request
from andon.wire import aws

REGION = "us-east-1"
ACCOUNT = "000000000000"
BUS = "andon"
EVERYTHING = "everything"

ENVIRONMENT = {
    "AWS_DEFAULT_REGION": REGION,
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_WIRE": "botocore",  # moto hooks into it
    "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",  # else moto's streams answer 404
    "MOTO_ACCOUNT_ID": ACCOUNT,
    "BUS_NAME": BUS,
    "STAGE": "local",
    "LIVE_ROOT": "Andon",
    "LIVE_ROLE_ARN": f"arn:aws:iam::{ACCOUNT}:role/browser",
    "POWERTOOLS_SERVICE_NAME": "local",
    "POWERTOOLS_METRICS_NAMESPACE": "Andon",
    # What a page is told of its deployment; nobody signs in here.
    "ISSUER": f"https://cognito-idp.{REGION}.amazonaws.com/{REGION}_local",
    "CLIENT_ID": "people",
    "WALL_CLIENT_ID": "walls",
    "SIGN_IN_ORIGIN": "https://sign-in.example",
    "LIVE_ORIGIN": "wss://live.example",
}


class InProcess(AbstractContextManager["InProcess"]):
    """Tables named after their environment variables, their streams, buckets, and a bus with a queue for all events."""

    def __init__(self, endpoint: str | None = None) -> None:
        """Use moto, or the empty emulator at `endpoint`."""
        self._endpoint = endpoint
        self.schemas = {v: schema for package in packages() for v, schema in package.tables.items()}
        bucket_variables = [variable for package in packages() for variable in package.buckets]
        self.buckets = {variable: variable.lower().replace("_", "-") for variable in bucket_variables}
        self._read_until: dict[str, str] = {}  # table -> sequence number of the last record read
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        variables = ENVIRONMENT | {variable: variable for variable in self.schemas} | self.buckets
        if self._endpoint:
            variables |= {"AWS_ENDPOINT_URL": self._endpoint, "NO_PROXY": "*"}
        self._stack.enter_context(_environment(variables))
        if not self._endpoint:
            self._stack.enter_context(moto.mock_aws())
        aws.forget()
        self._stack.callback(aws.forget)
        for name, schema in self.schemas.items():
            aws.client("dynamodb").create_table(**create_table_request(name, schema))
        for bucket in self.buckets.values():
            aws.client("s3").create_bucket(Bucket=bucket)
        for package in readers():
            variable = queue_variable(package.name)
            os.environ[variable] = aws.client("sqs").create_queue(QueueName=variable)["QueueUrl"]
        own = [package.restore_queue for package in restorers() if package.plays("restore")]
        recomputing = [recompute.queue_variable(package.name) for package in recomputed()]
        for variable in [*own, *recomputing, QUEUE, replays.QUEUE]:
            os.environ[variable] = aws.client("sqs").create_queue(QueueName=variable)["QueueUrl"]
        os.environ |= {RESTORERS: restorers_as_json(), replays.VIEWS: views_as_json(readers()), replays.SETTLES: "0"}
        self._queue = _open_bus()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def rows(self, table: str) -> list[Item]:
        """Return all rows of a table, in the order of their keys."""
        keys = self.schemas[table].keys
        items = [to_plain(item) for item in self.typed_rows(table)]
        return sorted(items, key=lambda item: [item[name] for name in keys.names])

    def typed_rows(self, table: str) -> list[dict[str, Any]]:
        """Return all rows of a table with DynamoDB's type descriptors."""
        pages = aws.client("dynamodb").get_paginator("scan").paginate(TableName=table)
        return [item for page in pages for item in page["Items"]]

    def restore(self, table: str, typed: list[dict[str, Any]]) -> None:
        """Put rows into a table, but not into its stream."""
        for item in typed:
            aws.client("dynamodb").put_item(TableName=table, Item=item)
        if self.schemas[table].stream:
            self.new_records(table)

    def objects(self, variable: str) -> list[Item]:
        """Return all objects of a bucket, in the order of their keys: `{Key, Body}`, as `to_text` writes bytes."""
        s3, bucket = aws.client("s3"), self.buckets[variable]
        pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
        keys = [found["Key"] for page in pages for found in page.get("Contents", [])]
        bodies = (s3.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys)
        return [{"Key": key, "Body": to_text(body)} for key, body in zip(keys, bodies, strict=True)]

    def restore_objects(self, variable: str, objects: list[Item]) -> None:
        """Put objects into a bucket."""
        for one in objects:
            body = to_bytes(one["Body"])
            aws.client("s3").put_object(Bucket=self.buckets[variable], Key=one["Key"], Body=body)

    def new_records(self, table: str) -> list[dict[str, Any]]:
        """Return the records of a stream since the last call, as Lambda gets them."""
        streams = aws.client("dynamodbstreams")
        arn = aws.client("dynamodb").describe_table(TableName=table)["Table"]["LatestStreamArn"]
        shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
        # A new iterator each time: moto's do not survive a cancelled transaction.
        start = {"ShardIteratorType": "TRIM_HORIZON"}
        if table in self._read_until:
            start = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self._read_until[table]}
        iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, **start)["ShardIterator"]
        records = streams.get_records(ShardIterator=iterator)["Records"]
        if records:
            self._read_until[table] = records[-1]["dynamodb"]["SequenceNumber"]
        return [_as_lambda_gets_it(record, table) for record in records]

    def new_messages(self) -> list[str]:
        """Return what was published since the last call, as bodies of a queue's messages."""
        return _received(self._queue)

    def restoring(self, package: Package) -> list[str]:
        """Return the messages that bring back what a package kept, but for a view, whose queue has others, too."""
        return _received(os.environ[package.restore_queue])

    def asked_of_archive(self) -> list[str]:
        """Return the days of rehydrations that wait."""
        return _received(os.environ[QUEUE])

    def asked_of_replays(self) -> list[str]:
        """Return the days and objects of replays that wait."""
        return _received(os.environ[replays.QUEUE])

    def to_recompute(self, package: Package) -> list[str]:
        """Return what a view is asked to recompute."""
        return _received(os.environ[recompute.queue_variable(package.name)])

    def resubmitted(self, package: Package) -> list[str]:
        """Return the messages that were put directly on a package's own queue."""
        return _received(os.environ[queue_variable(package.name)])


def to_text(body: bytes) -> str:
    """Return bytes as text that JSON takes, and `to_bytes` turns back; UTF-8 stays as it is."""
    return body.decode(errors="surrogateescape")


def to_bytes(text: str) -> bytes:
    """Return the bytes that `to_text` was given."""
    return text.encode(errors="surrogateescape")


@contextmanager
def frozen_clock(now_ms: int) -> Iterator[None]:
    """Stop the clock of all handlers at `now_ms`."""
    real = clock.now_ms
    clock.now_ms = lambda: now_ms
    try:
        yield
    finally:
        clock.now_ms = real


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _received(queue: str) -> list[str]:
    sqs, bodies = aws.client("sqs"), []
    while messages := sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", []):
        bodies += [message["Body"] for message in messages]
        handles = [{"Id": str(n), "ReceiptHandle": message["ReceiptHandle"]} for n, message in enumerate(messages)]
        sqs.delete_message_batch(QueueUrl=queue, Entries=handles)
    return bodies


def _open_bus() -> str:
    events, sqs = aws.client("events"), aws.client("sqs")
    events.create_event_bus(Name=BUS)
    queue: str = sqs.create_queue(QueueName=EVERYTHING)["QueueUrl"]
    # Any source: moto, like AWS, refuses a pattern that names nothing.
    events.put_rule(Name=EVERYTHING, EventBusName=BUS, EventPattern='{"source": [{"prefix": ""}]}')
    target = {"Id": EVERYTHING, "Arn": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{EVERYTHING}"}
    events.put_targets(Rule=EVERYTHING, EventBusName=BUS, Targets=[target])
    return queue


def _as_lambda_gets_it(record: dict[str, Any], table: str) -> dict[str, Any]:
    created = record["dynamodb"]["ApproximateCreationDateTime"].timestamp()
    change = record["dynamodb"] | {"ApproximateCreationDateTime": int(created)}
    arn = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{table}/stream/2020-01-01T00:00:00.000"
    return {**record, "dynamodb": change, "eventSourceARN": arn}
