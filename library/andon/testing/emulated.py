"""A project's AWS at an endpoint: an empty emulator, on which its tables, buckets, queues and bus are made."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self

from andon.dynamodb.attribute_values import Item, Typed
from andon.runtime.json_types import JsonObject
from andon.testing.create_table import create_table_request
from andon.testing.environment import ACCOUNT, BUS, REGION, environment
from andon.testing.loop import Loop
from andon.testing.world import World, addresses_of_queues, declared_queues, to_bytes, to_text
from andon.tools.listings import keys_in, rows_of
from andon.tools.stack import emulator
from andon.tools.stack.aws import client as direct_client
from andon.wire import aws

EVERYTHING = "everything"

Clients = Callable[[str], Any]
"""A service -> a client of it, as boto3 makes them."""


@contextmanager
def empty_emulator(home: Path) -> Iterator[str]:
    """Run an emulator with nothing on it, which ends with this process; yield its address."""
    running = emulator.start(home, emulator.free_port(), lifeline=True)
    try:
        yield running.endpoint
    finally:
        emulator.stop(home, running)


class EmulatedWorld(World):
    """A world at an endpoint; what another world declares is so, too, if this one is its first base.

    through: a proxy in front of it, which the handlers' requests take, and none of this world's own.
    """

    def __init__(self, endpoint: str, *, through: str | None = None) -> None:
        super().__init__()
        self._endpoint = through or endpoint
        self._client: Clients = aws.client if through is None else partial(direct_client, endpoint=endpoint)
        self._shards: dict[str, dict[str, str]] = {}  # table -> its stream and the one shard of that
        self._read_until: dict[str, str] = {}  # table -> sequence number of the last record read

    def __enter__(self) -> Self:
        self._stack.enter_context(environment(self.variables()))
        self.set_up()
        return self

    def variables(self) -> dict[str, str]:
        """Return the environment of handlers."""
        return super().variables() | {
            "AWS_ENDPOINT_URL": self._endpoint,
            "AWS_WIRE": aws.BOTOCORE,
            "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",
            "NO_PROXY": "*",
        }

    def set_up(self) -> None:
        """Make the tables, buckets, queues and the bus."""
        for name, schema in self.schemas.items():
            self._client("dynamodb").create_table(**create_table_request(name, schema))
        for bucket in self.buckets.values():
            self._client("s3").create_bucket(Bucket=bucket)
        sqs = self._client("sqs")
        self._urls = {name: sqs.create_queue(QueueName=self.address(name))["QueueUrl"] for name in declared_queues()}
        os.environ.update(addresses_of_queues(self._urls.__getitem__))
        self._queue = _open_bus(self._client("events"), sqs)

    def typed_rows(self, table: str) -> list[Typed]:
        """Return all rows of a table with DynamoDB's type descriptors."""
        return [*rows_of(self._client("dynamodb"), table)]

    def restore(self, table: str, typed: list[Typed]) -> None:
        """Put rows into a table, but not into its stream."""
        for item in typed:
            self._client("dynamodb").put_item(TableName=table, Item=item)
        if self.schemas[table].stream:
            self.new_records(table)

    def objects(self, variable: str) -> list[Item]:
        """Return all objects of a bucket, in the order of their keys: `{Key, Body}`, as `to_text` writes bytes."""
        s3, bucket = self._client("s3"), self.buckets[variable]
        keys = [*keys_in(s3, bucket)]
        bodies = (s3.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys)
        return [{"Key": key, "Body": to_text(body)} for key, body in zip(keys, bodies, strict=True)]

    def restore_objects(self, variable: str, objects: list[Item]) -> None:
        """Put objects into a bucket."""
        for one in objects:
            body = to_bytes(one["Body"])
            self._client("s3").put_object(Bucket=self.buckets[variable], Key=one["Key"], Body=body)

    def new_records(self, table: str) -> list[JsonObject]:
        """Return the records of a stream since the last call, as Lambda gets them."""
        streams = self._client("dynamodbstreams")
        # A new iterator each time: moto's do not survive a cancelled transaction.
        start = {"ShardIteratorType": "TRIM_HORIZON"}
        if table in self._read_until:
            start = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self._read_until[table]}
        iterator = streams.get_shard_iterator(**self._shard_of(table), **start)["ShardIterator"]
        records = streams.get_records(ShardIterator=iterator)["Records"]
        if records:
            self._read_until[table] = records[-1]["dynamodb"]["SequenceNumber"]
        return [_as_lambda_gets_it(record, table) for record in records]

    def _shard_of(self, table: str) -> dict[str, str]:
        if table not in self._shards:
            arn = self._client("dynamodb").describe_table(TableName=table)["Table"]["LatestStreamArn"]
            [shard] = self._client("dynamodbstreams").describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
            self._shards[table] = {"StreamArn": arn, "ShardId": shard["ShardId"]}
        return self._shards[table]

    def new_bodies(self) -> list[str]:
        """Return the entries published since the last call, as bodies of a queue's messages; some have groups."""
        return self._received(self._queue)

    def new_in(self, queue: str) -> list[str]:
        """Return the messages of a queue, by its name, since the last call."""
        return self._received(self._urls[queue])

    def _received(self, queue: str) -> list[str]:
        sqs, bodies = self._client("sqs"), []
        while messages := sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", []):
            bodies += [message["Body"] for message in messages]
            handles = [{"Id": str(n), "ReceiptHandle": message["ReceiptHandle"]} for n, message in enumerate(messages)]
            sqs.delete_message_batch(QueueUrl=queue, Entries=handles)
        return bodies


def _open_bus(events: Any, sqs: Any) -> str:  # noqa: ANN401  clients
    events.create_event_bus(Name=BUS)
    queue: str = sqs.create_queue(QueueName=EVERYTHING)["QueueUrl"]
    # Any source: moto, like AWS, refuses a pattern that names nothing.
    events.put_rule(Name=EVERYTHING, EventBusName=BUS, EventPattern='{"source": [{"prefix": ""}]}')
    target = {"Id": EVERYTHING, "Arn": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{EVERYTHING}"}
    events.put_targets(Rule=EVERYTHING, EventBusName=BUS, Targets=[target])
    return queue


def _as_lambda_gets_it(record: JsonObject, table: str) -> JsonObject:
    created = record["dynamodb"]["ApproximateCreationDateTime"].timestamp()
    change = record["dynamodb"] | {"ApproximateCreationDateTime": int(created)}
    arn = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{table}/stream/2020-01-01T00:00:00.000"
    return {**record, "dynamodb": change, "eventSourceARN": arn}


class EmulatedLoop(EmulatedWorld, Loop):
    """All packages, connected at an endpoint."""
