"""A batch of a table's stream -> bus: the whole of a trigger that has no rules."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from andon.events import fault
from andon.events.change_data_capture import StreamRecord, events_of
from andon.events.domain_event import DomainEvent
from andon.events.fact import Facts
from andon.events.publish import NotPublished, publish
from andon.runtime import clock
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger, with_metrics
from andon.runtime.message_batch import BatchResponse, retry
from andon.wire.deadline import in_time

VARIABLE: Final = "RESUMES_BATCHES"
"""The environment variable of a trigger whose stream goes on behind what it says; without it a batch comes whole."""


class PublishedBatch(NamedTuple):
    """The records of a batch with published events, and the counts to be logged.

    found: these events, faults among them, by the number of their record. resumes_at: the sequence number of the record
    from which the stream must come again; None at the end.
    """

    records: Sequence[StreamRecord]
    found: Mapping[int, DomainEvent]
    counts: Mapping[str, int]
    resumes_at: str | None = None

    def resumed_at(self, number: int) -> "PublishedBatch | None":
        """Return the batch of which the stream must come again from a record on; None: it must come again whole."""
        if VARIABLE not in os.environ or number == 0:
            return None
        return self._replace(resumes_at=self.records[number]["dynamodb"]["SequenceNumber"])

    def respond(self) -> BatchResponse:
        """Return Lambda's response: it goes on at the first record that is named."""
        return retry([] if self.resumes_at is None else [self.resumes_at])


@in_time
def publish_changes(event: JsonMapping, context: LambdaContext, *, facts: Facts) -> BatchResponse:
    """Handle a batch of a stream; return the record from which it must come again.

    Raises:
        NotPublished: not all of it could be published, and the stream cannot go on within a batch.

    """
    batch = publish_batch(event, context, facts=facts)
    log_published(batch, context, facts=facts)
    return batch.respond()


def publish_batch(event: JsonMapping, context: LambdaContext, *, facts: Facts) -> PublishedBatch:
    """Publish the facts of a batch of a stream, or of its records before the first that cannot be published now.

    While EventBridge throttles, the whole batch again, and then each half of it, would be more load than before.

    Raises:
        NotPublished: nothing could be published, which is no matter of load, or the stream cannot go on within a batch.

    """
    records = event["Records"]
    found = events_of(records, facts=facts, tags=tags_of(facts, context))
    events = [*found.values()]
    try:
        done = publish(events, source=facts.source)
    except NotPublished as error:
        if VARIABLE not in os.environ or not 0 < len(error.left) < len(events):
            raise
        first_left = min(error.left)
        resumes = [*found][first_left]
        before, published = records[:resumes], events[:first_left]
        counts = {**_counts(before, published, facts), "left": len(records) - resumes}
        done_by = dict([*found.items()][:first_left])
        return PublishedBatch(before, done_by, counts, records[resumes]["dynamodb"]["SequenceNumber"])
    return PublishedBatch(records, found, _counts(records, events, facts, faults=done.faults))


def _counts(
    records: Sequence[StreamRecord], events: Sequence[DomainEvent], facts: Facts, *, faults: int = 0
) -> dict[str, int]:
    """Return the counts of some records; faults: the events that became one, for the bus refused them for good."""
    poison = sum(event.type == fault.TYPE for event in events)
    ring = Counter(event.type for event in events if event.type in facts.alarms)
    return {"records": len(records), "published": len(events) - faults - poison, "fault": faults + poison, **ring}


def tags_of(facts: Facts, context: LambdaContext) -> dict[str, str]:
    """Return the tags of the events that a trigger publishes."""
    return {
        "stage": os.environ["STAGE"],
        "source": facts.source,
        "functionname": context.function_name,
        "pipeline": f"{facts.source}.trigger",
    }


def log_published(
    batch: PublishedBatch, context: LambdaContext, *, facts: Facts, more: Mapping[str, int] | None = None
) -> None:
    """Write the one log line of a trigger's invocation, with a metric of each fact that rings; `more` adds counts."""
    counts, ids = {**batch.counts, **(more or {})}, [event.id for event in batch.found.values()]
    line = {"function_request_id": context.aws_request_id, **counts, "ids": ids}
    logger().info("published", extra=with_metrics(line, facts.alarms, dimension="service", now_ms=clock.now_ms()))
