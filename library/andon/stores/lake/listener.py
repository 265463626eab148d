"""everything on the bus -> lake."""

from functools import partial
from typing import Any

from andon.runtime import clock
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.stores.lake.batch import LakeObject, ObjectResult, line_of, objects_of, results_of
from andon.stores.lake.store import BUCKET
from andon.views.ledger import failures
from andon.views.outcome import Outcome
from andon.wire import aws
from andon.wire.bucket import Bucket
from andon.wire.deadline import in_time
from andon.wire.in_threads import run_in_threads

_bucket = Bucket(BUCKET)


@in_time
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Handle a batch of the lake's queue; return `{"batchItemFailures": [{"itemIdentifier"}]}`: what to retry."""
    objects = objects_of((record["messageId"], record["body"]) for record in event["Records"])
    # S3 goes over botocore whichever the wire is, and threads are what lets its requests overlap.
    written = run_in_threads([partial(_write, one) for one in objects])
    line = line_of(written, now_ms=clock.now_ms())
    logger().info("kept", extra={"function_request_id": context.aws_request_id, **line})
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failures(results_of(written))]}


def _write(one: LakeObject) -> ObjectResult:
    """Write one object. Until it is there, its messages are not acknowledged."""
    try:
        is_new = _bucket.put_if_absent(one.key, one.body)
    except Exception as error:  # noqa: BLE001  the neighbours must not suffer; the queue tries it again
        return ObjectResult(one, Outcome.FAILED, aws.name_of(error))
    return ObjectResult(one, Outcome.APPLIED if is_new else Outcome.DUPLICATE)
