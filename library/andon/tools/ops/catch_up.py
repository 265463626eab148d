"""`make catch-up`: brings a subscriber what a publisher published before it was there, from the bus's archive.

On this machine the bus has no archive, and the lake tells it.

The archive replays to the rules of the one subscriber: nobody else gets anything, and to it a fact is live. What it had
is a duplicate, which changes nothing. https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-replay-archived-event.html
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import groupby, product
from typing import Any, Final, NamedTuple

from botocore.exceptions import ClientError

from andon.cdk.names import FIRST_STAGE, stack_of
from andon.events.identifiers import of_content
from andon.events.topic import Topic, is_included
from andon.packages.discovery import FactSubscription, deployed_first, packages, subscriptions_among
from andon.recorded.lake import lines_of
from andon.runtime import clock, times
from andon.tools.called import as_called
from andon.tools.lake import lake_copy
from andon.tools.lake.lake_copy import LakeBucket
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.progress import step
from andon.tools.views.deployed import Deployed, deployed
from andon.wire.queue import SEND, WORK, name_of

# Until then an event may be on its way to the archive.
# https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-archive.html
_ARCHIVED_WITHIN_MS: Final = 10 * 60 * 1000
POLL_S: Final = 2.0
_STARTED_BEFORE: Final = "ResourceAlreadyExistsException"
COMPLETED: Final = "COMPLETED"
ENDED: Final = frozenset({COMPLETED, "CANCELLED", "FAILED"})
DIGITS: Final = 16
SECOND_MS: Final = 1000


class BusRule(NamedTuple):
    """A rule of the bus. queues: the names of those that it brings events to."""

    arn: str
    topics: frozenset[Topic]
    queues: frozenset[str]


_TOGETHER: Final = """\
{subscriber} is new to {topics}. Neither it nor {publisher} is deployed before the other, for each subscribes to the
other's facts: what is published meanwhile does not reach it. Deploy the subscription, and let {publisher} publish with
the deployment after it; or bring it back when this one is done:
  {verb}"""


class Missed(NamedTuple):
    """All that a publisher published between two times, in epoch milliseconds, of which a subscriber got nothing."""

    subscriber: str
    publisher: str
    since_ms: int
    until_ms: int


def rules_on(events: Any, bus: str, sources: frozenset[str]) -> Iterator[BusRule]:  # noqa: ANN401  boto3's
    """Yield the rules of a bus that take events of some sources."""
    for page in events.get_paginator("list_rules").paginate(EventBusName=bus):
        for rule in page["Rules"]:
            pattern = json.loads(rule.get("EventPattern", "{}"))
            topics = {(one, kind) for one in pattern.get("source", ()) for kind in pattern.get("detail-type", ())}
            if not sources.isdisjoint(source for source, _ in topics):
                targets = events.list_targets_by_rule(Rule=rule["Name"], EventBusName=bus)["Targets"]
                queues = {target["Arn"].rpartition(":")[2] for target in targets}
                yield BusRule(rule["Arn"], frozenset(topics), frozenset(queues))


def queues_of(stack: str, package: str) -> set[str]:
    """Return the names of the queues by which a package of a stack gets events."""
    return {f"{stack}-{name_of(package, purpose)}" for purpose in (WORK, SEND)}


def new_among(asked: Iterable[FactSubscription], rules: Iterable[BusRule], stack: str) -> list[FactSubscription]:
    """Return the subscriptions for which a stack has no rule yet, by subscriber and publisher."""
    known = {(topic, queue) for rule in rules for topic in rule.topics for queue in rule.queues}
    new = [one for one in asked if known.isdisjoint((one.topic, q) for q in queues_of(stack, one.subscriber.name))]
    return sorted(new, key=lambda one: (*_pair(one), one.topic))


def of_deployment(stack: Deployed, *, now_ms: int) -> Iterator[str]:
    """Yield advice about subscriptions that a deployment creates, and that may miss facts meanwhile."""
    together = deployed_first(subscriptions_among(packages())).together
    sources = frozenset(one.publisher.name for one in together)
    rules = rules_on(stack.client("events"), stack.outputs["BusName"], sources) if together else ()
    for (subscriber, publisher), group in groupby(new_among(together, rules, _name_of(stack)), key=_pair):
        since = times.to_utc(now_ms)
        verb = as_called("catch-up", TO=subscriber, OF=publisher, SINCE=since, STACK=_name_of(stack))
        topics = ", ".join("/".join(one.topic) for one in group)
        yield _TOGETHER.format(subscriber=subscriber, publisher=publisher, topics=topics, verb=verb)


def _name_of(stack: Deployed) -> str:
    return stack.name or stack_of(FIRST_STAGE)


def _pair(one: FactSubscription) -> tuple[str, str]:
    return one.subscriber.name, one.publisher.name


def catch_up(stack: Deployed, missed: Missed, *, now_ms: int, pause: Callable[[float], None]) -> str:
    """Replay what was missed; return what was done. The same once more starts no second replay.

    Raises:
        ToolFailed: nothing lies between the times, the subscriber has no rule for the publisher, there is neither an
            archive nor a lake, or the replay ended otherwise.

    """
    since, until = times.to_utc(missed.since_ms), times.to_utc(missed.until_ms)
    if not missed.since_ms < missed.until_ms <= now_ms:
        raise ToolFailed(f"from {since} to {until} nothing was missed: the first lies before the second, neither ahead")
    events = stack.client("events")
    rules = _rules(events, stack, missed)
    arn, archive = _archive(events, stack)
    if archive is None:
        _send_from_lake(stack, rules, missed)
        return f"What the lake has of {missed.publisher} from {since} to {until} came to {missed.subscriber} again."
    asked = {
        "ReplayName": f"{missed.subscriber}-{of_content([stack.outputs['BusName'], *missed], digits=DIGITS)}",
        "EventSourceArn": archive,
        "EventStartTime": _moment(missed.since_ms),
        "EventEndTime": _moment(missed.until_ms),
        "Destination": {"Arn": arn, "FilterArns": [rule.arn for rule in rules]},
    }
    within_ms = _ARCHIVED_WITHIN_MS if stack.name else 0
    if (left_ms := missed.until_ms + within_ms - now_ms) > 0:
        with step("waiting until the archive has it"):
            pause(left_ms / 1000)
    _replay(events, asked, pause)
    return f"What {missed.publisher} published from {since} to {until} came to {missed.subscriber} again."


def _rules(events: Any, stack: Deployed, missed: Missed) -> list[BusRule]:  # noqa: ANN401
    """Return the rules that bring the publisher's events to the subscriber, each with the subscriber's own queues."""
    own = queues_of(_name_of(stack), missed.subscriber)
    found = rules_on(events, stack.outputs["BusName"], frozenset({missed.publisher}))
    rules = [rule._replace(queues=rule.queues & own) for rule in found if rule.queues & own]
    if not rules:
        raise ToolFailed(f"{missed.subscriber} subscribes to nothing of {missed.publisher}")
    return rules


def _archive(events: Any, stack: Deployed) -> tuple[str, str | None]:  # noqa: ANN401
    """Return the ARNs of the bus and of its archive; the bus of a machine has none.

    Raises:
        ToolFailed: a bus on AWS has none.

    """
    bus = stack.outputs["BusName"]
    arn: str = events.describe_event_bus(Name=bus)["Arn"]
    archives = [one["ArchiveName"] for one in events.list_archives(EventSourceArn=arn)["Archives"]]
    if not archives and stack.name:
        raise ToolFailed(f"the bus {bus} has no archive: a view is filled by a replay of the lake (POST /replays)")
    return arn, events.describe_archive(ArchiveName=archives[0])["ArchiveArn"] if archives else None


def _send_from_lake(stack: Deployed, rules: Iterable[BusRule], missed: Missed) -> None:
    """Send what was missed to the subscriber's queues, out of the lake: on this machine the bus keeps nothing."""
    sqs, lines = stack.client("sqs"), [*_lines(stack.lake, missed)]
    urls = {queue: sqs.get_queue_url(QueueName=queue)["QueueUrl"] for rule in rules for queue in rule.queues}
    with step("sending it"):
        for rule in rules:
            sent = [line for line, topic in lines if any(is_included(topic, one) for one in rule.topics)]
            for queue, line in product(rule.queues, sent):
                sqs.send_message(QueueUrl=urls[queue], MessageBody=line)


def _lines(lake: LakeBucket, missed: Missed) -> Iterator[tuple[str, Topic]]:
    """Yield the lines of a lake with the publisher's facts, and their topics; the bus says the seconds of its time."""
    since_ms = missed.since_ms - missed.since_ms % SECOND_MS
    for file in sorted(lake_copy.copy(lake).rglob("*.ndjson.gz")):
        for line in lines_of(file.read_bytes()):
            head = json.loads(line)
            if head["source"] == missed.publisher and since_ms <= times.to_ms(head["time"]) <= missed.until_ms:
                yield line, (head["source"], head["detail-type"])


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


def _replay(events: Any, asked: dict[str, Any], pause: Callable[[float], None]) -> None:  # noqa: ANN401
    """Start a replay, unless it was started before, and wait until it is over."""
    name = asked["ReplayName"]
    try:
        events.start_replay(**asked)
    except ClientError as error:
        if error.response["Error"]["Code"] != _STARTED_BEFORE:
            raise
    with step("replaying it"):
        while (replay := events.describe_replay(ReplayName=name))["State"] not in ENDED:
            pause(POLL_S)
    if replay["State"] != COMPLETED:
        why = replay.get("StateReason", "AWS does not say why")
        raise ToolFailed(f"the replay {name} ended as {replay['State']}: {why}")


def _ms(time: str) -> int:
    try:
        return times.to_ms(time)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{time!r} {error}") from error


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog=as_called("catch-up"), description=__doc__)
    parser.add_argument("subscriber", help="the package that missed something")
    parser.add_argument("publisher", help="the service whose facts it missed")
    parser.add_argument("since", type=_ms, help="a time such as 2026-11-21T09:35:00Z: that of the deployment")
    parser.add_argument("until", nargs="?", type=_ms, help="a time; none: now")
    parser.add_argument("--stack", help="the name of a stack on AWS (default: the one on this machine)")
    options, now_ms = parser.parse_args(), clock.now_ms()
    until_ms = now_ms if options.until is None else options.until
    missed = Missed(options.subscriber, options.publisher, options.since, until_ms)
    print(catch_up(deployed(options.stack), missed, now_ms=now_ms, pause=time.sleep))
    return 0


if __name__ == "__main__":
    sys.exit(main())
