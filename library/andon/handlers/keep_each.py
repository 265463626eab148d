"""events -> an object of a store each."""

from collections.abc import Callable
from functools import partial

from andon.events.bus_entry import Delivery
from andon.events.put_back import again
from andon.events.received import Received, received
from andon.runtime import clock
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.runtime.message_batch import BatchResponse, retry
from andon.runtime.tried import Failed, tried
from andon.views.outcome import Outcome
from andon.views.results import Result, failures, line_of
from andon.wire.deadline import in_time
from andon.wire.queue import name_of as name_of_queue

Keep = Callable[[Delivery], bool]
"""Keeps the object of an event; False if it was there."""


@in_time
def keep_each(event: JsonMapping, context: LambdaContext, *, store: str, keep: Keep) -> BatchResponse:
    """Handle a batch of a store's queue; return the messages to try again, which end as dead letters."""
    results = [_result(one, tried(partial(_keep, keep), one)) for one in received(event["Records"])]
    left = again(failures(results), queue=name_of_queue(store))
    line = line_of(results, view=store, now_ms=clock.now_ms(), put_back=left.put_back)
    logger().info("kept", extra={"function_request_id": context.aws_request_id, **line})
    return retry(left.left)


def _keep(keep: Keep, one: Received) -> tuple[Outcome, Delivery]:
    delivery = one.read()
    return Outcome.APPLIED if keep(delivery) else Outcome.DUPLICATE, delivery


def _result(one: Received, kept: tuple[Outcome, Delivery] | Failed) -> Result:
    if isinstance(kept, Failed):
        return Result(one, Outcome.FAILED, error=kept.error)
    outcome, delivery = kept
    return Result(one, outcome, delivery.event, taken_ms=delivery.taken_ms)
