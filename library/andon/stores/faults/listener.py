"""faults -> fault store."""

from typing import Any

from andon.events.bus_entry import from_message
from andon.runtime import clock
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.stores.faults.objects import keep
from andon.stores.faults.record import fault_in
from andon.views.ledger import Result, failures, line_of
from andon.views.outcome import Outcome
from andon.wire.aws import name_of


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Handle a batch of the store's queue; return `{"batchItemFailures": [{"itemIdentifier"}]}`: what to retry."""
    results = [_settle(record["messageId"], record["body"]) for record in event["Records"]]
    line = line_of(results, view="faults", now_ms=clock.now_ms())
    logger().info("kept", extra={"function_request_id": context.aws_request_id, **line})
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failures(results)]}


def _settle(message_id: str, body: str) -> Result:
    """Keep one fault. What cannot be kept is retried, then a dead letter; a fault of a fault would never end."""
    try:
        delivery = from_message(body)
        outcome = Outcome.APPLIED if keep(fault_in(delivery.event)) else Outcome.DUPLICATE
        return Result(message_id, outcome, delivery.event, taken_ms=delivery.taken_ms)
    except Exception as error:  # noqa: BLE001  the neighbours must not suffer; the queue tries it again
        return Result(message_id, Outcome.FAILED, error=name_of(error))
