"""The bus and the queues of the listeners: what waits, what became a dead letter, what listeners say they did."""

import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final

from andon.cdk.names import DEAD_LETTERS, pascal
from andon.packages.discovery import readers
from andon.tools.ops import redrive as dead
from andon.tools.ops.redrive import BATCH, QUEUE, Pair
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack

FAULTS, DRIFT, LAKE = f"Fault{QUEUE}", f"Drift{QUEUE}", f"Lake{QUEUE}"
LONE: Final = re.compile("[\ud800-\udfff]")
IMPATIENT_S: Final = 2
JOBS_S: Final = 15  # a replay, a look for drift or a rehydration takes longer
SETTLED: Final = 3  # looks in a row, each after a pause; a stream is read a moment after a write
PAUSE_S: Final = 0.3
HIDDEN: Final = "VisibilityTimeout"
WAITING: Final = "ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"
FATES: Final = "applied", "duplicate", "stale", "expired", "compacted", "fault", "failed"


def of_listeners(stack: Stack) -> list[str]:
    """List the addresses of the queues in which the bus delivers to views and services."""
    return [stack.outputs[f"{pascal(package.name)}{QUEUE}"] for package in readers()]


@contextmanager
def impatient(stack: Stack, seconds: int = IMPATIENT_S) -> Iterator[None]:
    """Let what failed come again after seconds, so that five times are soon over; then as it was."""
    sqs = stack.client("sqs")
    before = {url: _attributes(sqs, url, HIDDEN) for url in _all(stack)}
    short = {*of_listeners(stack), stack.outputs[FAULTS], stack.outputs[LAKE]}
    for url in before:
        hidden_s = seconds if url in short else JOBS_S
        sqs.set_queue_attributes(QueueUrl=url, Attributes={HIDDEN: str(hidden_s)})
    try:
        yield
    finally:
        for url, attributes in before.items():
            sqs.set_queue_attributes(QueueUrl=url, Attributes=attributes)


def send(stack: Stack, url: str, bodies: list[str]) -> None:
    """Put messages straight into a queue; what has characters that SQS refuses can come over the bus only."""
    sqs = stack.client("sqs")
    bodies = [body for body in bodies if not LONE.search(body)]  # SQS refuses one, and the emulator fails at it
    for first in range(0, len(bodies), BATCH):
        entries = [{"Id": str(n), "MessageBody": body} for n, body in enumerate(bodies[first : first + BATCH])]
        with suppress(sqs.exceptions.InvalidMessageContents):
            sqs.send_message_batch(QueueUrl=url, Entries=entries)


def publish(stack: Stack, envelope: Mapping[str, Any], detail: str) -> None:
    """Put an event on the bus: source and type of an envelope, and a detail as JSON."""
    bus = stack.outputs["BusName"]
    entry = {"EventBusName": bus, "Source": envelope["source"], "DetailType": envelope["detail-type"], "Detail": detail}
    stack.client("events").put_events(Entries=[entry])


def drained(stack: Stack, *, within_s: float) -> bool:
    """Wait until nothing waits in any queue and nobody works on anything, often in a row; True if it came to that."""
    sqs = stack.client("sqs")
    empty = 0

    def settled() -> bool:
        nonlocal empty
        waits = any(int(value) for url in _all(stack) for value in _attributes(sqs, url, *WAITING).values())
        empty = 0 if waits else empty + 1
        if empty <= SETTLED:
            time.sleep(PAUSE_S)
        return empty > SETTLED

    return eventually(settled, within_s=within_s)


def dead_letters(stack: Stack) -> list[str]:
    """Take all dead letters of views and services out, and return their bodies."""
    sqs, bodies = stack.client("sqs"), []
    for pair in _pairs(stack):
        while taken := sqs.receive_message(QueueUrl=pair.dead_letters, MaxNumberOfMessages=BATCH).get("Messages"):
            for message in taken:
                sqs.delete_message(QueueUrl=pair.dead_letters, ReceiptHandle=message["ReceiptHandle"])
                bodies.append(message["Body"])
    return bodies


def redrive(stack: Stack) -> int:
    """Put all dead letters of views and services back into their queues, as an operator does; return how many."""
    return sum(dead.redrive(stack.client("sqs"), pair) for pair in _pairs(stack))


def fates(stack: Stack) -> Mapping[str, Counter[str]]:
    """Add up what each listener logged: `received` and what became of it, by view."""
    logs, counts = stack.client("logs"), defaultdict[str, Counter[str]](Counter)
    for page in logs.get_paginator("describe_log_groups").paginate():
        for group in (group["logGroupName"] for group in page["logGroups"] if "istener" in group["logGroupName"]):
            for lines in logs.get_paginator("filter_log_events").paginate(logGroupName=group):
                # Those of replays and of the archive count something else.
                for line in (json.loads(one["message"]) for one in lines["events"] if '"applied"' in one["message"]):
                    counts[line["view"]].update({name: line[name] for name in ("received", *FATES) if name in line})
    return counts


def _pairs(stack: Stack) -> list[Pair]:
    """Return the queues of views and services: what a store cannot keep is a dead letter by design, not a fault."""
    stores = {stack.outputs[name] for name in (FAULTS, DRIFT)}
    return [pair for pair in dead.pairs(stack.outputs) if pair.queue not in stores]


def _all(stack: Stack) -> list[str]:
    names = {name for name in stack.outputs if name.endswith(QUEUE)}
    return [stack.outputs[name] for name in names if not name.endswith(DEAD_LETTERS)]


def _attributes(sqs: Any, url: str, *names: str) -> dict[str, str]:  # noqa: ANN401  a client
    attributes: dict[str, str] = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=list(names))["Attributes"]
    return attributes
