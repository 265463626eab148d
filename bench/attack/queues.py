"""The queues of the listeners: what waits there, what became a dead letter, what the listeners say they did."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final

from andon.cdk.names import pascal
from andon.packages.discovery import readers
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack

QUEUE: Final = "QueueUrl"
DEAD_LETTERS: Final = "DeadLetterQueueUrl"
FAULTS, FAULTS_DEAD = "FaultQueueUrl", "FaultDeadLetterQueueUrl"
LAKE: Final = "LakeQueueUrl"
BATCH: Final = 10  # SQS takes no more at a time
IMPATIENT_S: Final = 2
SETTLED: Final = 6  # looks in a row; a stream is read a moment after a write
WAITING: Final = "ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"
FATES: Final = "applied", "duplicate", "stale", "expired", "compacted", "fault", "failed"


def of_listeners(stack: Stack) -> list[str]:
    """List the addresses of the queues in which the bus delivers to views and services."""
    return [stack.outputs[f"{pascal(package.name)}{QUEUE}"] for package in readers()]


@contextmanager
def impatient(stack: Stack, seconds: int = IMPATIENT_S) -> Iterator[None]:
    """Let what failed come again after seconds, so that five times are soon over; then as it was."""
    sqs = stack.client("sqs")
    urls = _all(stack)
    before = {url: _attributes(sqs, url, "VisibilityTimeout") for url in urls}
    for url in urls:
        sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": str(seconds)})
    try:
        yield
    finally:
        for url in urls:
            sqs.set_queue_attributes(QueueUrl=url, Attributes=before[url])


def send(stack: Stack, url: str, bodies: list[str]) -> None:
    """Put messages straight into a queue; what has characters that SQS refuses can come over the bus only."""
    sqs = stack.client("sqs")
    for body in bodies:
        with suppress(sqs.exceptions.InvalidMessageContents):
            sqs.send_message(QueueUrl=url, MessageBody=body)


def send_many(stack: Stack, url: str, bodies: list[str]) -> None:
    """Put short messages straight into a queue."""
    sqs = stack.client("sqs")
    for first in range(0, len(bodies), BATCH):
        entries = [{"Id": str(n), "MessageBody": body} for n, body in enumerate(bodies[first : first + BATCH])]
        sqs.send_message_batch(QueueUrl=url, Entries=entries)


def drained(stack: Stack, *, within_s: float) -> bool:
    """Wait until nothing waits in any queue and nobody works on anything, twice in a row; whether it came to that."""
    sqs = stack.client("sqs")
    empty = 0

    def settled() -> bool:
        nonlocal empty
        waiting = sum(int(value) for url in _all(stack) for value in _attributes(sqs, url, *WAITING).values())
        empty = 0 if waiting else empty + 1
        return empty > SETTLED

    return eventually(settled, within_s=within_s)


def dead_letters(stack: Stack) -> list[str]:
    """Take all dead letters of views and services out, and return what they say.

    Those of the fault store stay: a fault that cannot be kept is one by design, for a fault of it would never end.
    """
    return [body for _, body in _taken_out(stack)]


def redrive(stack: Stack) -> int:
    """Put all dead letters of views and services back into their queues, as an operator does; return how many."""
    sqs, count = stack.client("sqs"), 0
    for name, body in list(_taken_out(stack)):
        sqs.send_message(QueueUrl=stack.outputs[name.removesuffix(DEAD_LETTERS) + QUEUE], MessageBody=body)
        count += 1
    return count


def _taken_out(stack: Stack) -> Iterator[tuple[str, str]]:
    """Remove dead letters; return each with the name of its queue among the stack's outputs."""
    sqs = stack.client("sqs")
    for name, url in stack.outputs.items():
        while (
            name.endswith(DEAD_LETTERS)
            and name != FAULTS_DEAD
            and (taken := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=BATCH).get("Messages"))
        ):
            for message in taken:
                sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
                yield name, message["Body"]


def fates(stack: Stack) -> Mapping[str, Counter[str]]:
    """Add up what each listener logged: `received` and what became of it, by view."""
    logs = stack.client("logs")
    counts: dict[str, Counter[str]] = {}
    for page in logs.get_paginator("describe_log_groups").paginate():
        for group in page["logGroups"]:
            for line in _lines(logs, group["logGroupName"]):
                of_view = counts.setdefault(str(line["view"]), Counter())
                of_view.update({name: line[name] for name in ("received", *FATES) if name in line})
    return counts


def _lines(logs: Any, group: str) -> Iterator[dict[str, Any]]:  # noqa: ANN401  a client
    if "istener" not in group:
        return
    for page in logs.get_paginator("filter_log_events").paginate(logGroupName=group):
        for event in page["events"]:
            if '"applied"' in event["message"]:  # those of replays and the archive count something else
                yield json.loads(event["message"])


def _all(stack: Stack) -> list[str]:
    return [*of_listeners(stack), stack.outputs[FAULTS], stack.outputs[LAKE]]


def _attributes(sqs: Any, url: str, *names: str) -> dict[str, str]:  # noqa: ANN401
    attributes: dict[str, str] = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=list(names))["Attributes"]
    return attributes
