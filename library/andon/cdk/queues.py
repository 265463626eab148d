"""Queues: encrypted by SQS, over TLS only, each with a dead-letter queue."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sqs as sqs
from aws_cdk.aws_lambda_event_sources import SqsEventSource
from constructs import Construct

from andon.cdk.checks import nag
from andon.cdk.function import Function
from andon.cdk.names import DEAD_LETTERS
from andon.cdk.package_stack import add_output
from andon.cdk.target import Target
from andon.runtime.log import STAGE
from andon.views.results import UNPROCESSED
from andon.wire import queue

LONGEST: Final = Duration.days(14)  # the most that SQS allows

# https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
_POLL: Final = [
    "sqs:ReceiveMessage",
    "sqs:ChangeMessageVisibility",
    "sqs:GetQueueUrl",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
]


@dataclass(frozen=True, slots=True)
class Reader:
    """A listener, the queue that feeds it, and the queue for messages that it cannot process."""

    name: str
    listener: Function
    queue: sqs.Queue
    dead_letters: sqs.Queue


class LastResort(sqs.Queue):
    """A dead-letter queue: its messages wait for a person."""

    def __init__(self, scope: Construct, name: str) -> None:
        encryption = sqs.QueueEncryption.SQS_MANAGED
        super().__init__(scope, name, encryption=encryption, enforce_ssl=True, retention_period=LONGEST)
        nag.acknowledge(self, SQS3=nag.NOT_ITSELF)


RECEIVES: Final = 5  # of a message that fails


@dataclass(frozen=True, slots=True)
class Batch:
    """The messages that a listener gets at once, the wait for so many, and the batches at a time.

    at_a_time: None is as many as the target says. delay_seconds: so long a message waits in the queue first. receives:
    how often it may come, by how long it is hidden each time, in milliseconds; then it is a dead letter.
    """

    size: int = 10
    window_seconds: int = 0
    at_a_time: int | None = None
    delay_seconds: int = 0
    receives: Callable[[int], int] = lambda _: RECEIVES


SOON: Final = Batch()
FEWEST: Final = 2  # the least at a time that SQS allows


def work(
    scope: Construct,
    name: str,
    *,
    consumer_timeout: Duration,
    dead_letters: sqs.Queue,
    batch: Batch,
) -> sqs.Queue:
    """Create a queue for a consumer of such batches; functions find it by its name, see `queue.beside`."""
    # With less than six times the timeout and the window, a message could become visible while Lambda still retries
    # it: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
    hidden_seconds = 6 * consumer_timeout.to_seconds() + batch.window_seconds
    return sqs.Queue(
        scope,
        "Queue",
        queue_name=f"{Target.of(scope).stack_name}-{name}",
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        retention_period=Duration.days(4),
        delivery_delay=Duration.seconds(batch.delay_seconds) if batch.delay_seconds else None,
        visibility_timeout=Duration.seconds(hidden_seconds),
        dead_letter_queue=sqs.DeadLetterQueue(
            queue=dead_letters, max_receive_count=batch.receives(1000 * int(hidden_seconds))
        ),
    )


def feed(
    scope: Construct, listener: Function, *, output: str, batch: Batch = SOON, purpose: str = queue.WORK
) -> Reader:
    """Create a listener's queue and dead-letter queue; the names of their outputs begin with `output`."""
    dead_letters = LastResort(scope, "DeadLetters")
    name = queue.name_of(listener.package.name, purpose)
    waiting = work(scope, name, consumer_timeout=listener.timeout, dead_letters=dead_letters, batch=batch)
    wake(listener, waiting, batch)
    add_output(scope, f"{output}QueueUrl", waiting.queue_url, "a queue")
    add_output(scope, f"{output}{DEAD_LETTERS}", dead_letters.queue_url, "its dead-letter queue")
    reader = Reader(listener.package.name, listener, waiting, dead_letters)
    _roll_back(reader)
    return reader


def _roll_back(reader: Reader) -> None:
    """Roll back a listener that takes too few of its messages, too: it raises for no single one."""
    listener, target = reader.listener, Target.of(reader.queue)
    if listener.canary and listener.role == "listener":
        minute, by = Duration.minutes(1), {"view": reader.name, STAGE: target.stage.name}
        lost = cloudwatch.Metric(
            namespace=target.project.name, metric_name=UNPROCESSED, dimensions_map=by, statistic="Sum", period=minute
        )
        among = reader.queue.metric_number_of_messages_received(period=minute, statistic="Sum")
        of = f"{listener.package.path(listener.role)} fails messages, or makes faults of them"
        listener.canary.roll_back_on(UNPROCESSED.capitalize(), lost, among=among, of=of)


def let_put_back(reader: Reader) -> None:
    """Let a listener put facts back on its queue, see `andon.events.put_back`."""
    reader.listener.handler.add_environment(queue.OWN, reader.queue.queue_url)
    reader.listener.let_feed_itself(reader.queue)


def wake(listener: Function, waiting: sqs.Queue, batch: Batch) -> None:
    """Bring the messages of a queue to a listener."""
    listener.grant(_POLL, [waiting.queue_arn])  # the L2 event source cannot add to the role of ours
    window = batch.window_seconds
    listener.called.add_event_source(
        SqsEventSource(
            waiting,
            batch_size=batch.size,
            max_batching_window=Duration.seconds(window) if window else None,
            # Not reserved concurrency: each throttled poll would count as a receive.
            max_concurrency=batch.at_a_time or Target.of(waiting).listeners,
            report_batch_item_failures=True,
        )
    )
