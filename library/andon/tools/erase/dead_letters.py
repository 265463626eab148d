"""Mentions of a person in dead-letter queues, where nobody changes a message: it is redriven, or removed."""

from typing import Any, Final

from andon.tools.erase.counted import SweepCounts
from andon.tools.erase.mentions import Mentions
from andon.tools.ops.redrive import BATCH

HIDDEN_SECONDS: Final = 60  # so long each message is out of sight, so that others come


def count(sqs: Any, url: str, mentions: Mentions) -> SweepCounts:  # noqa: ANN401  boto3's
    """Count the mentions in the messages of a queue, and put them back."""
    counted, receipts = SweepCounts(), dict[str, str]()
    while messages := _receive(sqs, url):
        seen_before = receipts.keys() & {message["MessageId"] for message in messages}
        for message in messages:
            if message["MessageId"] not in receipts:
                replaced = mentions.replaced(message["Body"], document=True)
                counted.add(replaced.found, replaced.kept)
            receipts[message["MessageId"]] = message["ReceiptHandle"]
        if seen_before:
            break
    for receipt in receipts.values():
        sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=receipt, VisibilityTimeout=0)
    return counted


def _receive(sqs: Any, url: str) -> list[dict[str, str]]:  # noqa: ANN401  boto3's
    # It waits: without that SQS asks some of its servers only, and may answer that there is nothing.
    # https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-short-and-long-polling.html
    answer = sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=BATCH, VisibilityTimeout=HIDDEN_SECONDS, WaitTimeSeconds=1
    )
    found: list[dict[str, str]] = answer.get("Messages", [])
    return found
