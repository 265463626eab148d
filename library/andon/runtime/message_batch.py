"""A batch of a queue's messages, each handled on its own, and Lambda's partial response to it."""

from collections.abc import Callable, Iterable
from typing import TypedDict, TypeVar

from andon.runtime.tried import Failed, tried

Result = TypeVar("Result")


class QueueMessage(TypedDict):
    """A message of SQS, as far as a listener reads it."""

    messageId: str
    body: str


class ItemFailure(TypedDict):
    """A message that must come again."""

    itemIdentifier: str


class BatchResponse(TypedDict):
    """The response to a batch. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html."""

    batchItemFailures: list[ItemFailure]


def handle_each(messages: Iterable[QueueMessage], handle: Callable[[str], Result]) -> list[tuple[str, Result | Failed]]:
    """Handle the body of each message; return the ids with the results, or with the failures."""
    return [(message["messageId"], tried(handle, message["body"])) for message in messages]


def retry(message_ids: Iterable[str]) -> BatchResponse:
    """Return the response that makes the queue deliver some messages again."""
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in dict.fromkeys(message_ids)]}
