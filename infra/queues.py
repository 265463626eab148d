"""Queues: encrypted by SQS, refused without TLS, and none without an end for what cannot be processed."""

from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra import nag

LONGEST: Final = Duration.days(14)  # SQS keeps nothing longer


class LastResort(sqs.Queue):
    """A queue where messages wait for a person, or for a consumer to come."""

    def __init__(self, scope: Construct, name: str) -> None:
        encryption = sqs.QueueEncryption.SQS_MANAGED
        super().__init__(scope, name, encryption=encryption, enforce_ssl=True, retention_period=LONGEST)
        nag.acknowledge(self, SQS3=nag.NOT_ITSELF)


def work(scope: Construct, name: str, *, consumer_timeout: Duration, dead_letters: sqs.Queue) -> sqs.Queue:
    """Make a queue whose messages are tried five times."""
    return sqs.Queue(
        scope,
        name,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        retention_period=Duration.days(4),
        # Six times, or Lambda's own retries of a throttled poll make a message visible while it is being processed.
        visibility_timeout=Duration.seconds(6 * consumer_timeout.to_seconds()),
        dead_letter_queue=sqs.DeadLetterQueue(queue=dead_letters, max_receive_count=5),
    )
