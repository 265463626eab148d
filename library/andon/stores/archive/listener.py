"""days of rehydrations -> the queues of packages that rehydrate their rows."""

from collections import Counter

from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.runtime.message_batch import BatchResponse, handle_each, retry
from andon.runtime.tried import Failed
from andon.stores.archive.rehydration import work
from andon.wire.aws import name_of

FAILED = "failed"


def handler(event: JsonMapping, context: LambdaContext) -> BatchResponse:
    """Handle a batch of the archive's queue; return the messages to try again."""
    counts, again = Counter(received=len(event["Records"])), list[str]()
    for message_id, done in handle_each(event["Records"], work):
        if isinstance(done, Failed):
            counts[f"{FAILED}.{name_of(done.error)}"] += 1
            again.append(message_id)
        else:
            counts.update(done["sent"])
    logger().info("rehydrated", extra={"function_request_id": context.aws_request_id, **counts})
    return retry(again)
