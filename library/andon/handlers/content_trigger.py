"""a table with contents -> domain events, and objects that nothing refers to are deleted."""

from collections.abc import Iterable
from functools import partial

from andon.content.contents import DISCRIMINATOR, OBJECT, Contents
from andon.dynamodb.attribute_values import to_plain
from andon.events.change_data_capture import StreamRecord, is_ttl_removal, kind_of
from andon.events.fact import Facts
from andon.events.publish_changes import log_published, publish_batch
from andon.handlers.declared import Handler, load, of_environment
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.message_batch import BatchResponse
from andon.wire.deadline import in_time

# The end of contents: an object is deleted once the row that it lived by has expired.


def released(records: Iterable[StreamRecord]) -> list[str]:
    """Return the names of the objects of rows that the TTL service removed. Pure."""
    return [to_plain(record["dynamodb"]["OldImage"])[OBJECT] for record in records if is_ttl_removal(record)]


def release(contents: Contents, records: Iterable[StreamRecord]) -> int:
    """Delete the objects of expired rows; return their number. Names are never reused, so a repetition is harmless.

    Raises:
        CallFailed: S3 did not delete one; the records must come again.

    """
    names = released(records)
    contents.bucket.remove_all(names)
    return len(names)


def _is_of_content(record: StreamRecord) -> bool:
    """Return True if a record is about a row that an object lives by."""
    row = record["dynamodb"].get("NewImage", record["dynamodb"].get("OldImage"))
    return kind_of(row) == DISCRIMINATOR  # one that nobody can read becomes a fault, as that of any other row


@in_time
def publish_and_release(
    event: JsonMapping, context: LambdaContext, *, facts: Facts, contents: Contents
) -> BatchResponse:
    """Handle a batch of a stream; return the record from which it must come again.

    Raises:
        NotPublished: not all of it could be published, and the stream cannot go on within a batch.
        CallFailed: S3 did not delete an object.

    """
    number = release(contents, filter(_is_of_content, event["Records"]))  # its order among the facts does not matter
    others = [record for record in event["Records"] if not _is_of_content(record)]
    batch = publish_batch({"Records": others}, context, facts=facts)
    log_published(batch, context, facts=facts, more={"released": number})
    return batch.respond()


def handler_of(package: str) -> Handler:
    """Return the trigger of a service that keeps contents: it handles a batch of the table's stream."""
    facts, contents = load(package, "facts").FACTS, load(package, "contents").CONTENTS
    return partial(publish_and_release, facts=facts, contents=contents)


handler = of_environment(handler_of)
