"""A batch of the stream of a table with contents: facts -> bus, and what has expired is deleted."""

from andon.content.contents import Contents
from andon.content.release import is_of_content, release
from andon.events.fact import Facts
from andon.events.publish_changes import log_published, publish_batch
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.message_batch import BatchResponse
from andon.wire.deadline import in_time


@in_time
def publish_and_release(
    event: JsonMapping, context: LambdaContext, *, facts: Facts, contents: Contents
) -> BatchResponse:
    """Handle a batch of a stream; return the record from which it must come again.

    Raises:
        NotPublished: not all of it could be published, and the stream cannot go on within a batch.
        CallFailed: S3 did not delete an object.

    """
    number = release(contents, filter(is_of_content, event["Records"]))  # its order among the facts does not matter
    others = [record for record in event["Records"] if not is_of_content(record)]
    batch = publish_batch({"Records": others}, context, facts=facts)
    log_published(batch, context, facts=facts, more={"released": number})
    return batch.respond()
