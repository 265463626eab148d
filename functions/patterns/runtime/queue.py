"""Messages -> a queue of SQS, as many in a request as it takes."""

from collections.abc import Iterable, Iterator

from patterns.runtime import aws
from patterns.runtime.errors import CallFailed

# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html, before 2025-08: what
# the emulator takes, too.
MOST_MESSAGES = 10
MOST_BYTES = 256 * 1024


def send_all(queue_url: str, bodies: Iterable[str]) -> int:
    """Send messages; return how many.

    Raises:
        CallFailed: not all of them were taken; those that were are on the queue.

    """
    sent = 0
    for batch in _batches(bodies):
        entries = [{"Id": str(number), "MessageBody": body} for number, body in enumerate(batch)]
        response = aws.call("sqs", "send_message_batch", QueueUrl=queue_url, Entries=entries)
        if failed := response.get("Failed"):
            raise CallFailed(str(failed[0].get("Code")), response)
        sent += len(batch)
    return sent


def _batches(bodies: Iterable[str]) -> Iterator[list[str]]:
    batch, size = list[str](), 0
    for body in bodies:
        more = len(body.encode())
        if batch and (len(batch) == MOST_MESSAGES or size + more > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(body)
        size += more
    if batch:
        yield batch
