"""days of rehydrations -> the queues of those who bring back what expired."""

from collections import Counter
from typing import Any

from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.stores.archive.jobs import work
from andon.wire.aws import name_of

FAILED = "failed"


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Handle a batch of the archive's queue; return `{"batchItemFailures": [{"itemIdentifier"}]}`: what to retry."""
    counts, again = Counter(received=len(event["Records"])), list[str]()
    for record in event["Records"]:
        try:
            counts.update(work(record["body"])["sent"])
        except Exception as error:  # noqa: BLE001  the neighbours must not suffer; the queue tries it again
            counts[f"{FAILED}.{name_of(error)}"] += 1
            again.append(record["messageId"])
    logger().info("rehydrated", extra={"function_request_id": context.aws_request_id, **counts})
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in again]}
