"""A batch of a table's stream -> bus: the whole of a trigger that has no rules."""

import os
from collections.abc import Mapping
from typing import NamedTuple

from andon.events import fault
from andon.events.change_data_capture import events_of
from andon.events.domain_event import DomainEvent
from andon.events.fact import Facts
from andon.events.publish import publish
from andon.runtime import clock
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.runtime.metrics import directive
from andon.wire.deadline import in_time


class PublishedBatch(NamedTuple):
    """The events of a batch that were published, faults among them, and the counts to be logged."""

    events: list[DomainEvent]
    counts: Mapping[str, int]


@in_time
def publish_changes(event: JsonMapping, context: LambdaContext, *, facts: Facts) -> None:
    """Handle a batch of a stream; if anything could not be published, raise, so that the whole batch comes again.

    It does not answer with partial-batch responses: they name the first failure, and all behind it comes again anyway.

    Raises:
        NotPublished: not all of it could be published.

    """
    log_published(publish_batch(event, context, facts=facts), context)


def publish_batch(event: JsonMapping, context: LambdaContext, *, facts: Facts) -> PublishedBatch:
    """Publish the facts of a batch of a stream.

    Raises:
        NotPublished: not all of it could be published.

    """
    events = events_of(event["Records"], facts=facts, tags=tags_of(facts, context))
    done = publish(events, source=facts.source)
    poison = sum(event.type == fault.TYPE for event in events)
    counts = {"records": len(event["Records"]), "published": done.published - poison, "fault": done.faults + poison}
    return PublishedBatch(events, counts)


def tags_of(facts: Facts, context: LambdaContext) -> dict[str, str]:
    """Return the tags of the events that a trigger publishes."""
    return {
        "stage": os.environ["STAGE"],
        "source": facts.source,
        "functionname": context.function_name,
        "pipeline": f"{facts.source}.trigger",
    }


def log_published(batch: PublishedBatch, context: LambdaContext, *, more: Mapping[str, int] | None = None) -> None:
    """Write the one log line of a trigger's invocation; `more` adds counts."""
    counts = {**batch.counts, **(more or {})}
    logger().info(
        "published",
        extra={
            "function_request_id": context.aws_request_id,
            **counts,
            "ids": [event.id for event in batch.events],
            "_aws": directive(dimension="service", counts=counts, now_ms=clock.now_ms()),
        },
    )
