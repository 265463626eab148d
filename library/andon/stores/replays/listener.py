"""days and objects of replays -> the queue of one view."""

from collections import Counter
from typing import Any

from andon.runtime import clock
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.runtime.metrics import directive
from andon.stores.replays.work import work
from andon.wire.aws import name_of
from andon.wire.deadline import in_time


@in_time
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Handle a batch of the replays' queue; return `{"batchItemFailures": [{"itemIdentifier"}]}`: what to retry."""
    again, counts = list[str](), Counter(received=len(event["Records"]), sent=0, objects=0, faults=0, failed=0)
    for record in event["Records"]:
        if error := _try(record["body"], counts):
            counts["failed"] += 1
            again.append(record["messageId"])
            logger().warning(name_of(error), extra={"function_request_id": context.aws_request_id})
    metrics = {"view": "replays", **counts, "_aws": directive(dimension="view", counts=counts, now_ms=clock.now_ms())}
    logger().info("replayed", extra={"function_request_id": context.aws_request_id, **metrics})
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in again]}


def _try(body: str, counts: Counter[str]) -> Exception | None:
    try:
        counts.update(work(body))
    except Exception as error:  # noqa: BLE001  the neighbours must not suffer; the queue tries it again
        return error
    return None
