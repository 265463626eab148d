"""A batch of a table's stream -> the screens that show its rows, by topics of AWS IoT."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Item, to_plain
from andon.events.change_data_capture import StreamRecord
from andon.events.domain_event import DomainEvent
from andon.events.fault import fault_of
from andon.events.publish import publish
from andon.live.connection import topic_of
from andon.runtime import clock, strict_json
from andon.runtime.errors import CallFailed, Poison
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.wire import aws
from andon.wire.deadline import in_time
from andon.wire.in_parallel import in_parallel

# It is taken when the broker has it; each screen decides how it gets it.
QOS: Final = 1

# What another attempt gets again: the message itself is refused.
# https://docs.aws.amazon.com/iot/latest/apireference/API_iotdata_Publish.html
REFUSED: Final = frozenset({"InvalidRequestException", "RequestEntityTooLargeException", "413"})


class ScreenMessage(NamedTuple):
    """Message to the screens that subscribed to a path, or to a prefix of it."""

    path: tuple[str, ...]
    body: JsonMapping


_MessagesOf = Callable[[Item | None, Item | None], Iterable[ScreenMessage]]
"""Row before and after, None where there was none -> messages to screens. Pure."""


class RowChange(NamedTuple):
    """Net change of one row in a batch: the images before its first record and after its last, `record`."""

    old: Item | None
    new: Item | None
    record: StreamRecord


class Pushed(NamedTuple):
    """Outcome of one change: its messages, or the fault in their place."""

    messages: tuple[ScreenMessage, ...] = ()
    fault: DomainEvent | None = None


@in_time
def push_changes(
    event: JsonMapping, context: LambdaContext, *, source: str, root: str, messages_of: _MessagesOf
) -> None:
    """Handle a batch of a stream; if anything could not be published, raise, so that the whole batch comes again.

    Several changes of one row are one: screens show rows as they are.

    Raises:
        CallFailed: the broker did not take a message.
        NotPublished: the bus did not take a fault.

    """
    records = event["Records"]
    changes, unreadable = _changes_in(records, source)
    pushed = [*unreadable, *in_parallel([partial(_push, change, source, root, messages_of) for change in changes])]
    faults = [one.fault for one in pushed if one.fault]
    publish(faults, source=source)
    _log(context, records=len(records), pushed=pushed)


def _changes_in(records: Iterable[StreamRecord], source: str) -> tuple[list[RowChange], list[Pushed]]:
    """Return one change of each row, in order, and a fault for each record that is no change."""
    changes, unreadable = dict[str, RowChange](), []
    for record in records:
        try:
            change, key = _change_in(record), strict_json.dumps(record["dynamodb"]["Keys"])
        except Exception as error:  # noqa: BLE001  this is pure, so that the record would fail in the same way for ever
            unreadable.append(Pushed(fault=_fault_of(error, record, source)))
        else:
            before = changes.pop(key, change)
            changes[key] = RowChange(before.old, change.new, record)
    return [*changes.values()], unreadable


def _change_in(record: StreamRecord) -> RowChange:
    images = record["dynamodb"]
    old = to_plain(images["OldImage"]) if "OldImage" in images else None
    new = to_plain(images["NewImage"]) if "NewImage" in images else None
    return RowChange(old, new, record)


def _push(change: RowChange, source: str, root: str, messages_of: _MessagesOf) -> Pushed:
    try:
        messages = tuple(messages_of(change.old, change.new))
        bodies = [(topic_of(root, message.path), strict_json.dumps(message.body)) for message in messages]
    except Exception as error:  # noqa: BLE001  as above
        return Pushed(fault=_fault_of(error, change.record, source))
    try:
        for topic, body in bodies:
            aws.call(aws.IOT_DATA, "publish", topic=topic, qos=QOS, payload=body.encode())
    except CallFailed as error:
        if error.code not in REFUSED:
            raise
        return Pushed(fault=_fault_of(Poison("the broker refuses the message"), change.record, source))
    return Pushed(messages)


def _fault_of(error: Exception, record: StreamRecord, source: str) -> DomainEvent:
    return fault_of(error, strict_json.dumps(record), consumer=f"{source}.push", now_ms=clock.now_ms())


def _log(context: LambdaContext, *, records: int, pushed: list[Pushed]) -> None:
    counts = {
        "records": records,
        "pushed": len([*chain.from_iterable(one.messages for one in pushed)]),
        "unseen": sum(not one.messages and not one.fault for one in pushed),
        "fault": sum(one.fault is not None for one in pushed),
    }
    logger().info("pushed", extra={"function_request_id": context.aws_request_id, **counts})
