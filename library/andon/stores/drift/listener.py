"""drift-detected -> store of drift."""

from andon.events.bus_entry import Delivery, from_message
from andon.runtime import clock
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.runtime.message_batch import BatchResponse, handle_each, retry
from andon.runtime.tried import Failed
from andon.stores.drift.finding import finding_in
from andon.stores.drift.objects import keep
from andon.views.ledger import Result, failures, line_of
from andon.views.outcome import Outcome
from andon.wire.aws import name_of


def handler(event: JsonMapping, context: LambdaContext) -> BatchResponse:
    """Handle a batch of the store's queue; return the messages to try again."""
    results = [_result(*kept) for kept in handle_each(event["Records"], _keep)]
    line = line_of(results, view="drift", now_ms=clock.now_ms())
    logger().info("kept", extra={"function_request_id": context.aws_request_id, **line})
    return retry(failures(results))


def _keep(body: str) -> tuple[Outcome, Delivery]:
    """Keep one finding. What cannot be kept is retried, then a dead letter."""
    delivery = from_message(body)
    return Outcome.APPLIED if keep(finding_in(delivery.event)) else Outcome.DUPLICATE, delivery


def _result(message_id: str, kept: tuple[Outcome, Delivery] | Failed) -> Result:
    if isinstance(kept, Failed):
        return Result(message_id, Outcome.FAILED, error=name_of(kept.error))
    outcome, delivery = kept
    return Result(message_id, outcome, delivery.event, taken_ms=delivery.taken_ms)
