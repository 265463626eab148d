"""Messages -> a queue of SQS, as many in a request as it takes; addresses of queues."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from andon.runtime.batches import batches
from andon.runtime.errors import CallFailed
from andon.wire import aws

# Of one request, and of one message.
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
MOST_MESSAGES = 10
MOST_BYTES = 1024 * 1024


# The purposes of a package's queues: events for its listener, shards to recompute, events that come back, messages to
# people, messages of things, and that those are gone.
WORK = "Queue"
RECOMPUTE = "Recompute"
RESTORE = "Restore"
SEND = "Send"
INGEST = "Ingest"
GONE = "Gone"

OWN = "QUEUE_URL"
"""The environment variable of a function that may send to the queue that it reads, with its address."""


def name_of(package: str, purpose: str = WORK) -> str:
    """Return the name of a queue within its deployment, as `things-Queue`; `<deployment>-` comes before it on AWS."""
    return f"{package}-{purpose}"


def beside(own_url: str, name: str) -> str:
    """Return the address of another queue of a deployment, by one of its addresses and the other one's name.

    So a function has to know one address, however many queues there are. Names of packages have no hyphen.
    """
    deployment, _, _ = own_url.rsplit("-", 2)
    return f"{deployment}-{name}"


class DelayedMessage(NamedTuple):
    """The body of a message, and its delay in the queue: at most 900 seconds; None: as the queue delays all."""

    body: str
    delay_seconds: int | None = None


def send_all(queue_url: str, bodies: Iterable[str]) -> int:
    """Send messages; return their number.

    Raises:
        CallFailed: not all of them were taken; those that were are on the queue.

    """
    return send_later(queue_url, map(DelayedMessage, bodies))


def send_later(queue_url: str, messages: Iterable[DelayedMessage]) -> int:
    """Send messages, some of them delayed; return their number.

    Raises:
        CallFailed: not all of them were taken; those that were are on the queue.

    """
    sent = 0
    for entries in entries_of(messages):
        response = aws.call("sqs", "send_message_batch", QueueUrl=queue_url, Entries=entries)
        if failed := response.get("Failed"):
            raise CallFailed(str(failed[0].get("Code")), response)
        sent += len(entries)
    return sent


def entries_of(messages: Iterable[DelayedMessage]) -> Iterator[list[dict[str, str | int]]]:
    """Return the entries of each request of SendMessageBatch, in the order of the messages."""
    sized = ((message, len(message.body.encode())) for message in messages)
    for batch in batches(sized, most=MOST_MESSAGES, most_bytes=MOST_BYTES):
        yield [_entry(number, message) for number, message in enumerate(batch)]


def _entry(number: int, message: DelayedMessage) -> dict[str, str | int]:
    entry: dict[str, str | int] = {"Id": str(number), "MessageBody": message.body}
    return entry if message.delay_seconds is None else {**entry, "DelaySeconds": message.delay_seconds}
