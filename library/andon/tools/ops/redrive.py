"""`make redrive`: dead letters go back to the queue that they came from; without a queue it lists who has some."""

import argparse
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from botocore.exceptions import ClientError

from andon.cdk.names import DEAD_LETTERS
from andon.runtime.json_types import JsonObject
from andon.tools.called import as_called
from andon.tools.stack.errors import ToolFailed
from andon.tools.views.deployed import Deployed, deployed

QUEUE: Final = "QueueUrl"  # how names of outputs end
BATCH: Final = 10  # SQS takes no more at a time
SHOWN: Final = 10
POLL_SECONDS: Final = 2
RUNNING: Final = frozenset({"RUNNING", "CANCELLING"})
_UNKNOWN_TO_EMULATOR: Final = "InvalidAction"


class Pair(NamedTuple):
    """The addresses of a queue and of its dead-letter queue, and the name that both have among the outputs."""

    name: str
    queue: str
    dead_letters: str


def pairs(outputs: Mapping[str, str]) -> list[Pair]:
    """Return the queues of a stack that have a dead-letter queue, by name."""
    names = sorted(name.removesuffix(DEAD_LETTERS) for name in outputs if name.endswith(DEAD_LETTERS))
    return [Pair(name, outputs[f"{name}{QUEUE}"], outputs[f"{name}{DEAD_LETTERS}"]) for name in names]


def pair_of(outputs: Mapping[str, str], name: str) -> Pair:
    """Return the queue of a name, which may be written `StateLog` or `state_log`.

    Raises:
        Failed: there is none.

    """
    known = pairs(outputs)
    for pair in known:
        if pair.name.lower() == name.replace("_", "").lower():
            return pair
    raise ToolFailed(f"there is no queue {name}; there are {', '.join(pair.name for pair in known)}")


def waiting(sqs: Any, url: str) -> int:  # noqa: ANN401  boto3's
    """Return about how many messages can be received from a queue."""
    name = "ApproximateNumberOfMessages"
    return int(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])["Attributes"][name])


def redrive(sqs: Any, pair: Pair, *, rate: int | None = None) -> int:  # noqa: ANN401  boto3's
    """Move all dead letters of a queue back; return how many were moved. rate: messages a second, at most 500.

    Raises:
        Failed: AWS gave up on it.

    """
    try:
        return _moved_by_aws(sqs, pair, rate)
    except ClientError as error:
        if error.response["Error"]["Code"] != _UNKNOWN_TO_EMULATOR:
            raise
        return _moved_by_hand(sqs, pair)


def _moved_by_aws(sqs: Any, pair: Pair, rate: int | None) -> int:  # noqa: ANN401
    source = _arn(sqs, pair.dead_letters)
    # With the destination: rules put messages there directly, and AWS does not know of which queue those are.
    # https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
    slowly = {"MaxNumberOfMessagesPerSecond": rate} if rate else {}
    sqs.start_message_move_task(SourceArn=source, DestinationArn=_arn(sqs, pair.queue), **slowly)
    while True:
        [task] = sqs.list_message_move_tasks(SourceArn=source, MaxResults=1)["Results"]
        if task["Status"] not in RUNNING:
            break
        time.sleep(POLL_SECONDS)
    moved = int(task["ApproximateNumberOfMessagesMoved"])
    if task["Status"] != "COMPLETED":
        raise ToolFailed(
            f"{task['Status']} after {moved} messages: {task.get('FailureReason', 'AWS does not say why')}"
        )
    return moved


def _moved_by_hand(sqs: Any, pair: Pair) -> int:  # noqa: ANN401
    """Send each message before it is deleted: it may come twice, but is never lost. What comes back waits."""
    moved, most = 0, waiting(sqs, pair.dead_letters)
    while moved < most and (taken := _receive(sqs, pair.dead_letters, hidden_seconds=30)):
        for message in taken:
            attributes = message.get("MessageAttributes", {})
            sqs.send_message(QueueUrl=pair.queue, MessageBody=message["Body"], MessageAttributes=attributes)
            sqs.delete_message(QueueUrl=pair.dead_letters, ReceiptHandle=message["ReceiptHandle"])
        moved += len(taken)
    return moved


def show(sqs: Any, pair: Pair) -> Iterator[str]:  # noqa: ANN401
    """Yield some of the dead letters, with what EventBridge says of those that it could not deliver."""
    messages = _receive(sqs, pair.dead_letters, hidden_seconds=0)[:SHOWN]
    if not messages:
        yield f"{pair.name}: no dead letters."
    for message in messages:
        attributes = {name: one.get("StringValue") for name, one in message.get("MessageAttributes", {}).items()}
        received = message.get("Attributes", {}).get("ApproximateReceiveCount")
        yield f"received {received} times {attributes or ''}\n  {message['Body']}"


def _receive(sqs: Any, url: str, *, hidden_seconds: int) -> list[JsonObject]:  # noqa: ANN401
    answer = sqs.receive_message(
        QueueUrl=url,
        MaxNumberOfMessages=BATCH,
        VisibilityTimeout=hidden_seconds,
        MessageAttributeNames=["All"],
        MessageSystemAttributeNames=["ApproximateReceiveCount"],
    )
    messages: list[JsonObject] = answer.get("Messages", [])
    return messages


def _arn(sqs: Any, url: str) -> str:  # noqa: ANN401
    return str(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"])


def _report(stack: Deployed) -> Iterator[str]:
    counts = {pair.name: waiting(stack.client("sqs"), pair.dead_letters) for pair in pairs(stack.outputs)}
    yield from (f"{name}: {count:,} waiting" for name, count in counts.items() if count)
    yield f"{sum(not count for count in counts.values())} of {len(counts)} dead-letter queues are empty."


def _run(asked: argparse.Namespace) -> Iterator[str]:
    stack = deployed(asked.stack)
    if not asked.queue:
        yield from _report(stack)
        return
    pair, sqs = pair_of(stack.outputs, asked.queue), stack.client("sqs")
    if asked.show:
        yield from show(sqs, pair)
        return
    yield f"{pair.name}: {redrive(sqs, pair, rate=asked.rate):,} messages are on their queue again."


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog=as_called("redrive"), description=__doc__)
    parser.add_argument("queue", nargs="?", help="the name of a queue, as things; none: say which have dead letters")
    parser.add_argument("--stack", help="the name of a stack on AWS; none: the one on this machine")
    parser.add_argument("--rate", type=int, help="messages a second; none: as AWS chooses")
    parser.add_argument("--show", action="store_true", help="show some of the messages, and move none")
    for line in _run(parser.parse_args()):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
