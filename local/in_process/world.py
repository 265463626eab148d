"""AWS for handlers in this process: declared tables and buckets, queues, a bus; on moto, one thread at a time."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Self

import moto.core  # before any client: it patches botocore when it is imported

from local.in_process.packages import Package, packages, queued, stores
from patterns.dynamodb.attribute_values import Item, to_plain
from patterns.dynamodb.schema import Index, Keys, TableSchema
from patterns.runtime import aws, clock

REGION = "us-east-1"
ACCOUNT = "000000000000"
BUS = "andon"
EVERYTHING = "everything"

ENVIRONMENT = {
    "AWS_DEFAULT_REGION": REGION,
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",  # else moto's streams answer 404
    "MOTO_ACCOUNT_ID": ACCOUNT,
    "BUS_NAME": BUS,
    "STAGE": "local",
    "POWERTOOLS_SERVICE_NAME": "local",
    "POWERTOOLS_METRICS_NAMESPACE": "Andon",
}


class InProcess(AbstractContextManager["InProcess"]):
    """Tables named after their environment variables, their streams, buckets, and a bus that a queue hears all of."""

    def __init__(self, endpoint: str | None = None) -> None:
        """Be on moto, or on the empty emulator that answers at `endpoint`."""
        self._endpoint = endpoint
        self.schemas = {v: schema for package in packages() for v, schema in package.tables.items()}
        self.buckets = {package.bucket: package.bucket.lower().replace("_", "-") for package in stores()}
        self._heard: dict[str, str] = {}  # table -> sequence number of the last record
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        named = {variable: variable for variable in self.schemas} | self.buckets
        if self._endpoint:
            elsewhere = {"AWS_ENDPOINT_URL": self._endpoint, "NO_PROXY": "*"}
            self._stack.enter_context(_environment(ENVIRONMENT | named | elsewhere))
        else:
            self._stack.enter_context(_environment(ENVIRONMENT | named))
            self._stack.enter_context(moto.mock_aws())
        aws.client.cache_clear()
        self._stack.callback(aws.client.cache_clear)
        for name, schema in self.schemas.items():
            aws.client("dynamodb").create_table(**_table(name, schema))
        for bucket in self.buckets.values():
            aws.client("s3").create_bucket(Bucket=bucket)
        for package in queued():
            variable = _queue_variable(package)
            os.environ[variable] = aws.client("sqs").create_queue(QueueName=variable)["QueueUrl"]
        self._queue = _open_bus()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def rows(self, table: str) -> list[Item]:
        """Read a whole table, in the order of its keys."""
        keys = self.schemas[table].keys
        items = [to_plain(item) for item in self.typed_rows(table)]
        return sorted(items, key=lambda item: [item[name] for name in keys.names])

    def typed_rows(self, table: str) -> list[dict[str, Any]]:
        """Read a whole table as DynamoDB writes it."""
        pages = aws.client("dynamodb").get_paginator("scan").paginate(TableName=table)
        return [item for page in pages for item in page["Items"]]

    def restore(self, table: str, typed: list[dict[str, Any]]) -> None:
        """Put rows into a table; its stream does not tell of them."""
        for item in typed:
            aws.client("dynamodb").put_item(TableName=table, Item=item)
        if self.schemas[table].stream:
            self.new_records(table)

    def objects(self, variable: str) -> list[Item]:
        """Read a whole bucket, in the order of its keys: `{Key, Body}`."""
        s3, bucket = aws.client("s3"), self.buckets[variable]
        keys = [found["Key"] for found in s3.list_objects_v2(Bucket=bucket).get("Contents", [])]
        return [{"Key": key, "Body": s3.get_object(Bucket=bucket, Key=key)["Body"].read().decode()} for key in keys]

    def restore_objects(self, variable: str, objects: list[Item]) -> None:
        """Put objects into a bucket."""
        for one in objects:
            aws.client("s3").put_object(Bucket=self.buckets[variable], **one)

    def new_records(self, table: str) -> list[dict[str, Any]]:
        """Take what a stream has to tell since the last time, as Lambda gets it."""
        streams = aws.client("dynamodbstreams")
        arn = aws.client("dynamodb").describe_table(TableName=table)["Table"]["LatestStreamArn"]
        shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
        # Asked for anew each time: an iterator of moto's goes stale when a transaction is cancelled.
        start = {"ShardIteratorType": "TRIM_HORIZON"}
        if table in self._heard:
            start = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self._heard[table]}
        iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, **start)["ShardIterator"]
        records = streams.get_records(ShardIterator=iterator)["Records"]
        if records:
            self._heard[table] = records[-1]["dynamodb"]["SequenceNumber"]
        return [_as_lambda_gets_it(record, table) for record in records]

    def new_messages(self) -> list[str]:
        """Take what was published since the last time, as bodies of a queue's messages."""
        return _taken(self._queue)

    def resubmitted(self, package: Package) -> list[str]:
        """Take what was put on a package's own queue, past the bus."""
        return _taken(os.environ[_queue_variable(package)])


@contextmanager
def frozen_clock(now_ms: int) -> Iterator[None]:
    """Let it be `now_ms` for all handlers."""
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


def _table(name: str, schema: TableSchema) -> dict[str, Any]:
    indexes = schema.indexes.items()
    all_keys = [schema.keys, *(index.keys for _, index in indexes)]
    types = {key.partition: "S" for key in all_keys} | {
        key.sort: key.sort_type for key in all_keys if key.sort is not None
    }
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _key_schema(schema.keys),
        "AttributeDefinitions": [{"AttributeName": n, "AttributeType": kind} for n, kind in types.items()],
    }
    if indexes:
        request["GlobalSecondaryIndexes"] = [_index(index_name, index) for index_name, index in indexes]
    if schema.stream:
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    return request


def _index(name: str, index: Index) -> dict[str, Any]:
    projection: dict[str, Any] = {"ProjectionType": "ALL"}
    if index.projects is not None:
        projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(index.projects)}
    key_schema = _key_schema(index.keys)
    return {"IndexName": name, "KeySchema": key_schema, "Projection": projection}


def _key_schema(keys: Keys) -> list[dict[str, str]]:
    kinds = zip(keys.names, ("HASH", "RANGE"), strict=False)
    return [{"AttributeName": name, "KeyType": kind} for name, kind in kinds]


def _queue_variable(package: Package) -> str:
    return f"{package.name.upper()}_QUEUE_URL"


def _taken(queue: str) -> list[str]:
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
    # Of any source at all: moto, like AWS, wants a pattern that names something.
    events.put_rule(Name=EVERYTHING, EventBusName=BUS, EventPattern='{"source": [{"prefix": ""}]}')
    target = {"Id": EVERYTHING, "Arn": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{EVERYTHING}"}
    events.put_targets(Rule=EVERYTHING, EventBusName=BUS, Targets=[target])
    return queue


def _as_lambda_gets_it(record: dict[str, Any], table: str) -> dict[str, Any]:
    created = record["dynamodb"]["ApproximateCreationDateTime"].timestamp()
    change = record["dynamodb"] | {"ApproximateCreationDateTime": int(created)}
    arn = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{table}/stream/2020-01-01T00:00:00.000"
    return {**record, "dynamodb": change, "eventSourceARN": arn}
