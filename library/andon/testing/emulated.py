"""A project's AWS at an endpoint: an empty emulator, on which its tables, buckets, queues and bus are made."""

import os
from typing import Self

from andon.dynamodb.attribute_values import Item, Typed
from andon.runtime.json_types import JsonObject
from andon.testing.create_table import create_table_request
from andon.testing.environment import ACCOUNT, BUS, REGION, environment
from andon.testing.loop import Loop
from andon.testing.world import World, addresses_of_queues, declared_queues, to_bytes, to_text
from andon.tools.listings import keys_in, rows_of
from andon.wire import aws

EVERYTHING = "everything"


class EmulatedWorld(World):
    """A world at an endpoint; what another world declares is so, too, if this one is its first base."""

    def __init__(self, endpoint: str) -> None:
        super().__init__()
        self._endpoint = endpoint
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
            aws.client("dynamodb").create_table(**create_table_request(name, schema))
        for bucket in self.buckets.values():
            aws.client("s3").create_bucket(Bucket=bucket)
        sqs = aws.client("sqs")
        self._urls = {name: sqs.create_queue(QueueName=self.address(name))["QueueUrl"] for name in declared_queues()}
        os.environ.update(addresses_of_queues(self._urls.__getitem__))
        self._queue = _open_bus()

    def typed_rows(self, table: str) -> list[Typed]:
        """Return all rows of a table with DynamoDB's type descriptors."""
        return [*rows_of(aws.client("dynamodb"), table)]

    def restore(self, table: str, typed: list[Typed]) -> None:
        """Put rows into a table, but not into its stream."""
        for item in typed:
            aws.client("dynamodb").put_item(TableName=table, Item=item)
        if self.schemas[table].stream:
            self.new_records(table)

    def objects(self, variable: str) -> list[Item]:
        """Return all objects of a bucket, in the order of their keys: `{Key, Body}`, as `to_text` writes bytes."""
        s3, bucket = aws.client("s3"), self.buckets[variable]
        keys = [*keys_in(s3, bucket)]
        bodies = (s3.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys)
        return [{"Key": key, "Body": to_text(body)} for key, body in zip(keys, bodies, strict=True)]

    def restore_objects(self, variable: str, objects: list[Item]) -> None:
        """Put objects into a bucket."""
        for one in objects:
            body = to_bytes(one["Body"])
            aws.client("s3").put_object(Bucket=self.buckets[variable], Key=one["Key"], Body=body)

    def new_records(self, table: str) -> list[JsonObject]:
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
        """Return the events published since the last call, as bodies of a queue's messages."""
        return _received(self._queue)

    def new_in(self, queue: str) -> list[str]:
        """Return the messages of a queue, by its name, since the last call."""
        return _received(self._urls[queue])


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


def _as_lambda_gets_it(record: JsonObject, table: str) -> JsonObject:
    created = record["dynamodb"]["ApproximateCreationDateTime"].timestamp()
    change = record["dynamodb"] | {"ApproximateCreationDateTime": int(created)}
    arn = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{table}/stream/2020-01-01T00:00:00.000"
    return {**record, "dynamodb": change, "eventSourceARN": arn}


class EmulatedLoop(EmulatedWorld, Loop):
    """All packages, connected at an endpoint."""
