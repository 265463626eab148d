"""days and objects of replays -> the queue of one view."""

from collections import Counter

from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.runtime.message_batch import BatchResponse, handle_each, retry
from andon.runtime.tried import Failed
from andon.stores.replays.work import work
from andon.wire.aws import name_of
from andon.wire.deadline import in_time


@in_time
def handler(event: JsonMapping, context: LambdaContext) -> BatchResponse:
    """Handle a batch of the replays' queue; return the messages to try again."""
    again, counts = list[str](), Counter(received=len(event["Records"]), sent=0, objects=0, faults=0, failed=0)
    for message_id, done in handle_each(event["Records"], work):
        if isinstance(done, Failed):
            counts["failed"] += 1
            again.append(message_id)
            logger().warning(name_of(done.error), extra={"function_request_id": context.aws_request_id})
        else:
            counts.update(done)
    logger().info("replayed", extra={"function_request_id": context.aws_request_id, "view": "replays", **counts})
    return retry(again)
