"""Messages as they lie under `events/` -> the handlers that take them."""

from dataclasses import dataclass

from andon.events.domain_event import DomainEvent
from andon.events.topic import ANY
from andon.packages.discovery import follower_of_table, owner_of_route, reader_of_queue, subscribers_of, woken_by
from andon.packages.package import Package
from andon.runtime.json_types import JsonObject
from andon.testing.lambda_events import bus_message, sqs_event


@dataclass(frozen=True, slots=True)
class Invocation:
    """A handler and the event to call it with."""

    package: Package
    role: str
    event: JsonObject


class NotReplayable(Exception):
    """No handler takes this message."""


def invocations_of(message: JsonObject) -> list[Invocation]:
    """Return the handlers of a message, found by its `routeKey`, its `eventSourceARN` or by subscription.

    Whoever subscribes to everything gets what somebody else subscribes to: else a typing error would be kept for ever.

    Raises:
        NotReplayable: there are none.

    """
    try:
        if "routeKey" in message:
            return [Invocation(*owner_of_route(message["routeKey"]), message)]
        if "Records" in message:
            return [Invocation(*_reader_of(message["Records"][0]["eventSourceARN"]), message)]
        event = DomainEvent.from_wire(message)
    except Exception as error:
        raise NotReplayable(f"no HTTP event, batch of a stream or a queue, or domain event: {error}") from error
    source = event.tags.get("source", "")
    batch = sqs_event([bus_message(event, source=source)])
    found = subscribers_of(source, event.type)
    woken = [Invocation(package, "sender", batch) for package in woken_by(source, event.type)]
    if not woken and all((ANY, ANY) in package.subscriptions for package in found):
        raise NotReplayable(f"nobody subscribes to {event.type} of {source or 'an unnamed source'}")
    return [*(Invocation(package, "listener", batch) for package in found), *woken]


def readers_of(sample: JsonObject) -> list[Invocation]:
    """Return the handlers of a sample; none of an event that nobody but the lake reads."""
    try:
        return invocations_of(sample)
    except NotReplayable:
        return []


def _reader_of(arn: str) -> tuple[Package, str]:
    """Return the package and role that read a queue or a stream."""
    if ":sqs:" in arn:
        return reader_of_queue(arn.rpartition(":")[2])
    return follower_of_table(arn.split("/")[1])


def time_of(message: JsonObject) -> int:
    """Return the time of a message, in epoch milliseconds."""
    if "routeKey" in message:
        return int(message["requestContext"]["timeEpoch"])
    if "Records" in message:
        last = message["Records"][-1]
        if "dynamodb" not in last:
            return int(last["attributes"]["SentTimestamp"])
        return int(last["dynamodb"]["ApproximateCreationDateTime"] * 1000)
    return int(message["timestamp"])
