"""everything on the bus -> lake."""

from functools import partial

from andon.runtime import clock
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.runtime.message_batch import BatchResponse, retry
from andon.runtime.tried import Failed, tried
from andon.stores.lake.batch import LakeObject, ObjectResult, failures, line_of, objects_of
from andon.stores.lake.store import BUCKET
from andon.views.outcome import Outcome
from andon.wire import aws
from andon.wire.bucket import Bucket
from andon.wire.deadline import in_time
from andon.wire.in_threads import run_in_threads

_bucket = Bucket(BUCKET)


@in_time
def handler(event: JsonMapping, context: LambdaContext) -> BatchResponse:
    """Handle a batch of the lake's queue; return the messages to try again."""
    messages = ((record["messageId"], record["body"]) for record in event["Records"])
    objects = objects_of(messages, now_ms=clock.now_ms())
    # S3 goes over botocore whichever the wire is, so that only threads let its requests overlap.
    written = run_in_threads([partial(_write, one) for one in objects])
    line = line_of(written, now_ms=clock.now_ms())
    logger().info("kept", extra={"function_request_id": context.aws_request_id, **line})
    return retry(failures(written))


def _write(one: LakeObject) -> ObjectResult:
    """Write one object. Until it is there, its messages are not acknowledged."""
    is_new = tried(_bucket.put_if_absent, one.key, one.body)
    if isinstance(is_new, Failed):
        return ObjectResult(one, Outcome.FAILED, aws.name_of(is_new.error))
    return ObjectResult(one, Outcome.APPLIED if is_new else Outcome.DUPLICATE)
