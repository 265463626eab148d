"""Compares the lake with all that triggers published, which is read from the streams of the tables."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from andon.cdk.names import pascal
from andon.events.change_data_capture import event_of
from andon.packages.discovery import services
from andon.recorded.lake import EVENTS, lines_of
from andon.tools.listings import keys_in
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack

IMAGES: Final = {"new", "old"}

Event = tuple[str, str]
"""Source and id: what a reader of the lake counts once."""


class InLake(NamedTuple):
    """Events that triggers published since the stack is up: those that the lake lacks, or has without images."""

    published: int
    missing: tuple[Event, ...] = ()
    without_images: tuple[Event, ...] = ()

    @property
    def complete(self) -> bool:
        """True if everything is there, with both images."""
        return not (self.missing or self.without_images)


def compare(stack: Stack, *, within_s: float) -> InLake:
    """Compare the lake with the events published by now, once it has all of them or the time is up."""
    published, read = set(_published(stack)), set[str]()
    events: dict[Event, bool] = {}

    def has_all() -> bool:
        events.update(_new_events(stack, read))
        return published <= events.keys()

    eventually(has_all, within_s=within_s)
    missing = published - events.keys()
    bare = {event for event in published - missing if not events[event]}
    return InLake(len(published), tuple(sorted(missing)), tuple(sorted(bare)))


def _new_events(stack: Stack, read: set[str]) -> Iterator[tuple[Event, bool]]:
    """Yield the events of objects that were not `read`, and whether each has its images; an object never changes."""
    s3, bucket = stack.client("s3"), stack.outputs["LakeBucket"]
    for key in {*keys_in(s3, bucket, f"{EVENTS}/")} - read:
        read.add(key)
        for envelope in map(json.loads, lines_of(s3.get_object(Bucket=bucket, Key=key)["Body"].read())):
            # Others may put on the bus what no service of ours publishes.
            detail = envelope["detail"] if isinstance(envelope["detail"], dict) else {}
            raw = detail["raw"] if isinstance(detail.get("raw"), dict) else {}
            yield (str(envelope["source"]), str(detail.get("id"))), raw.keys() >= IMAGES


def _published(stack: Stack) -> Iterator[Event]:
    """Yield the events that the changes of all tables mean."""
    for package in services():
        for variable, schema in package.tables.items():
            for record in _records(stack, stack.outputs[pascal(variable)]) if schema.stream else ():
                if event := event_of(record, facts=package.facts, tags={}):
                    yield package.facts.source, event.id


def _records(stack: Stack, table: str) -> Iterator[Any]:
    streams = stack.client("dynamodbstreams")
    arn = stack.client("dynamodb").describe_table(TableName=table)["Table"]["LatestStreamArn"]
    for shard in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
        start = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = streams.get_shard_iterator(**start)["ShardIterator"]
        while iterator:
            page = streams.get_records(ShardIterator=iterator)
            yield from ({**record, "eventSourceARN": arn} for record in page["Records"])
            iterator = page.get("NextShardIterator") if page["Records"] else None
