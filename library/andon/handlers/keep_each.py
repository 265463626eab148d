"""events -> an object of a store each."""

from collections.abc import Callable
from functools import partial

from andon.events.bus_entry import Delivery, from_message
from andon.runtime import clock
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.runtime.message_batch import BatchResponse, handle_each, retry
from andon.runtime.tried import Failed
from andon.views.ledger import Result, failures, line_of
from andon.views.outcome import Outcome
from andon.wire.aws import name_of

Keep = Callable[[Delivery], bool]
"""Keeps the object of an event; False if it was there."""


def keep_each(event: JsonMapping, context: LambdaContext, *, store: str, keep: Keep) -> BatchResponse:
    """Handle a batch of a store's queue; return the messages to try again, which end as dead letters."""
    results = [_result(*kept) for kept in handle_each(event["Records"], partial(_keep, keep))]
    line = line_of(results, view=store, now_ms=clock.now_ms())
    logger().info("kept", extra={"function_request_id": context.aws_request_id, **line})
    return retry(failures(results))


def _keep(keep: Keep, body: str) -> tuple[Outcome, Delivery]:
    delivery = from_message(body)
    return Outcome.APPLIED if keep(delivery) else Outcome.DUPLICATE, delivery


def _result(message_id: str, kept: tuple[Outcome, Delivery] | Failed) -> Result:
    if isinstance(kept, Failed):
        return Result(message_id, Outcome.FAILED, error=name_of(kept.error))
    outcome, delivery = kept
    return Result(message_id, outcome, delivery.event, taken_ms=delivery.taken_ms)
