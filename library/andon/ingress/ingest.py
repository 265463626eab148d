"""Messages of topic rules -> events on the bus.

A message that can never be used becomes a fault, and so does a part of one; any other that cannot be published comes
again, and ends as a dead letter. Neither delays its neighbours.
"""

import os
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import partial
from itertools import chain
from typing import Final, NamedTuple

from andon.events import fault
from andon.events.domain_event import DomainEvent
from andon.events.publish import NotPublished, publish
from andon.ingress.ingress import Ingress, OnPresence, from_message, legible, part_of
from andon.ingress.names import ROOT
from andon.ingress.presence import Presence, about_client, from_members
from andon.runtime import clock
from andon.runtime.errors import Forbidden, Invalid, Poison, Rejected
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.runtime.message_batch import BatchResponse, handle_each, retry
from andon.runtime.tried import Failed, tried
from andon.wire.aws import name_of
from andon.wire.deadline import in_time

ROLE: Final = "ingest"


class Fate(StrEnum):
    """The fate of a message about a client."""

    KEPT = "kept"
    STALE = "stale"  # something newer was known
    TAKEN_OVER = "taken_over"  # the same client connected once more


class Understood(NamedTuple):
    """A message with its events, among them faults of unusable parts. heard: it was about a client."""

    message_id: str
    events: Sequence[DomainEvent] = ()
    heard: Fate | None = None

    @property
    def faults(self) -> int:
        """Number of faults among the events."""
        return sum(event.type == fault.TYPE for event in self.events)


@in_time
def ingest(event: JsonMapping, context: LambdaContext, *, service: str, ingress: Ingress) -> BatchResponse:
    """Handle a batch of the queue of a service; return the messages to try again."""
    tags = {
        "stage": os.environ["STAGE"],
        "source": service,
        "functionname": context.function_name,
        "pipeline": f"{service}.{ROLE}",
    }
    read = handle_each(event["Records"], partial(_understand, service, ingress, tags))
    failed = {message_id: result.error for message_id, result in read if isinstance(result, Failed)}
    understood = [result._replace(message_id=id_) for id_, result in read if not isinstance(result, Failed)]
    failed |= _publish_all(understood, service)
    published = [one for one in understood if one.message_id not in failed]
    logger().info(
        "ingested",
        extra={
            "function_request_id": context.aws_request_id,
            "received": len(read),
            "events": sum(len(one.events) - one.faults for one in published),
            "fault": sum(one.faults for one in published),
            "presence": sum(one.heard is not None for one in published),
            **{heard: sum(one.heard is heard for one in published) for heard in (Fate.STALE, Fate.TAKEN_OVER)},
            "failed": len(failed),
            "errors": sorted({name_of(error) for error in failed.values()}),
        },
    )
    return retry(failed)


def _understand(service: str, ingress: Ingress, tags: Mapping[str, str], body: str) -> Understood:
    """Return a message without its id, which the batch knows."""
    now_ms, root = clock.now_ms(), os.environ[ROOT]

    def fault_of(error: Exception, text: str) -> DomainEvent:
        reason = _explained(error) if isinstance(error, Rejected) else error
        return fault.fault_of(reason, text, consumer=f"{service}.{ROLE}", now_ms=now_ms)

    try:
        if ingress.on_presence and (members := about_client(body)) is not None:
            return Understood("", heard=_hear(from_members(members, root), ingress.on_presence))
        message = from_message(body, kinds=ingress.kinds, root=root, now_ms=now_ms)
        found = ingress.events_of(message, {**tags, "principal": message.principal})
    except (Poison, Invalid, Forbidden) as error:
        return Understood("", [fault_of(error, legible(body))])
    return Understood(
        "",
        [one if isinstance(one, DomainEvent) else fault_of(one.error, part_of(body, one.content)) for one in found],
    )


def _hear(presence: Presence | None, on_presence: OnPresence) -> Fate:
    if presence is None:
        return Fate.TAKEN_OVER
    return Fate.KEPT if on_presence(presence) else Fate.STALE


def _explained(error: Rejected) -> Rejected:
    """Return a refusal with the offending fields in its text, which only the reader of a fault sees."""
    return type(error)(" ".join((error.detail, *(f"{field}: {detail}." for field, detail in error.fields))))


def _publish_all(understood: Sequence[Understood], service: str) -> dict[str, Exception]:
    """Publish the events of all messages at once; return why those of some were not published, by message."""
    events = [*chain.from_iterable(one.events for one in understood)]
    of = [one.message_id for one in understood for _ in one.events]
    result = tried(partial(publish, source=service), events)
    if not isinstance(result, Failed):
        return {}
    if isinstance(result.error, NotPublished) and result.error.left:
        return {of[number]: result.error for number in result.error.left}
    return _publish_each(understood, service)


def _publish_each(understood: Sequence[Understood], service: str) -> dict[str, Exception]:
    """Publish the events of each message by themselves, since it is not known which one stands in the way."""
    results = [(one.message_id, tried(partial(publish, source=service), one.events)) for one in understood]
    return {message_id: result.error for message_id, result in results if isinstance(result, Failed)}
