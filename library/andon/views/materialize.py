"""A batch of domain events -> rows of a view: parse, decide, compact, send, settle; each message on its own."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple, TypeVar

from andon.dynamodb.client import Table
from andon.dynamodb.errors import ItemRefused
from andon.events.bus_entry import Delivery, Replay, from_message, is_replayed, require_not_ahead
from andon.events.domain_event import DomainEvent
from andon.events.fault import fault_of
from andon.events.hops import require_few
from andon.events.publish import publish
from andon.events.upcast import NONE, Upcasters, upcast
from andon.runtime import clock
from andon.runtime.errors import Poison
from andon.runtime.log import logger
from andon.views.compaction import Message, compact
from andon.views.ledger import Result, failures, line_of
from andon.views.outcome import Outcome
from andon.views.row_write import RowWrite, Subscriptions
from andon.wire.aws import name_of
from andon.wire.deadline import in_time
from andon.wire.in_parallel import in_parallel

Update = TypeVar("Update", bound=RowWrite)


NOTHING: Final[Subscriptions] = {}


class View(NamedTuple):
    """Where and how a view is kept; `upcasters` read what was published in older shapes.

    restores: what is kept of an event that is replayed to bring back what expired. is_rebuilt: the events of the lake
    may be replayed to it; False: it decides upon them, and would decide again.
    """

    name: str
    table: Table
    on: Subscriptions
    ttl_days: int | None
    upcasters: Upcasters = NONE
    restores: Subscriptions = NOTHING
    is_rebuilt: bool = True

    def on_of(self, replay: Replay | None) -> Subscriptions:
        """Return what is kept of live events, or of those of a replay."""
        if replay is None:
            return self.on
        if replay.until is not None:
            return self.restores
        return self.on if self.is_rebuilt else NOTHING


class Unreadable(NamedTuple):
    """A message that can never be understood, and why."""

    message_id: str
    body: str
    error: Exception


@in_time
def materialize(event: Mapping[str, Any], context: Any, *, view: View) -> dict[str, Any]:  # noqa: ANN401
    """Handle a batch of a queue; return `{"batchItemFailures": [{"itemIdentifier"}]}`, the messages to try again."""
    messages, unreadable = _parse_and_decide(event["Records"], view)
    sends = [partial(_send_unreadable, message, view) for message in unreadable]
    sends += [partial(_send_newest, group, view) for group in compact(messages)]
    results = [*chain.from_iterable(in_parallel(sends))]
    line = line_of(results, view=view.name, now_ms=clock.now_ms())
    logger().info("materialized", extra={"function_request_id": context.aws_request_id, **line})
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failures(results)]}


def interpret(
    body: str,
    on: Mapping[tuple[str, str], Callable[[DomainEvent], Update]],
    upcasters: Upcasters = NONE,
    *,
    now_ms: int,
) -> tuple[DomainEvent, Update]:
    """Parse a message, bring its event into today's shape, and decide what the view keeps of it. Pure.

    Raises:
        Poison: it is no message that the view subscribes to, or its time lies ahead.

    """
    return _understand(from_message(body), on, upcasters, now_ms=now_ms)


def _understand(
    delivery: Delivery,
    on: Mapping[tuple[str, str], Callable[[DomainEvent], Update]],
    upcasters: Upcasters,
    *,
    now_ms: int,
) -> tuple[DomainEvent, Update]:
    decide = on.get((delivery.source, delivery.event.type))
    if decide is None:
        raise Poison(f"nothing is kept of {delivery.event.type} of {delivery.source}")
    require_not_ahead(delivery, now_ms=now_ms)
    require_few(delivery.event)
    event = upcast(delivery.event, upcasters, source=delivery.source)
    return event, decide(event)


def _parse_and_decide(records: list[dict[str, Any]], view: View) -> tuple[list[Message], list[Unreadable]]:
    messages, unreadable, now_ms = [], [], clock.now_ms()
    for record in records:
        message_id, body = record["messageId"], record.get("body", "")
        try:
            delivery = from_message(body)
            event, update = _understand(delivery, view.on_of(delivery.replay), view.upcasters, now_ms=now_ms)
            messages.append(Message(message_id, body, event, update, delivery.replay, delivery.taken_ms))
        except Exception as error:  # noqa: BLE001  interpreting is pure: it would fail in the same way for ever
            unreadable.append(Unreadable(message_id, body, error))
    return messages, unreadable


def _send_unreadable(message: Unreadable, view: View) -> list[Result]:
    is_live = not is_replayed(message.body)
    try:
        outcome = _publish_fault(message.error, message.body, view) if is_live else Outcome.FAULT
    except Exception as error:  # noqa: BLE001  see _send
        return [Result(message.message_id, Outcome.FAILED, error=name_of(error))]
    return [Result(message.message_id, outcome, error=name_of(message.error), is_live=is_live)]


def _send_newest(newest_first: Sequence[Message], view: View) -> list[Result]:
    """Write the newest of several updates of one row; an older one only if those before it can never be written."""
    results: list[Result] = []
    for message in newest_first:
        if results and results[-1].outcome is not Outcome.FAULT:
            results.append(_settle_by_newer(results[-1], message))
        else:
            results.append(_send(message, view))
    return results


def _send(message: Message, view: View) -> Result:
    is_live = message.replay is None
    try:
        outcome = _write(message, view)
    except Exception as error:  # noqa: BLE001  whatever it is, the neighbours must not suffer; the queue tries it again
        return Result(message.message_id, Outcome.FAILED, message.event, name_of(error), is_live)
    origin = message.update.origin
    return Result(message.message_id, outcome, message.event, None, is_live, message.taken_ms, origin)


def _write(message: Message, view: View) -> Outcome:
    update, event, now_ms = message.update, message.event, clock.now_ms()
    try:
        return update.write(view.table, event, ttl_days=view.ttl_days, now_ms=now_ms, replay=message.replay)
    except (Poison, ItemRefused) as error:
        if message.replay is not None:
            return Outcome.FAULT  # published when it came first; now nothing goes to the bus
        why = error if isinstance(error, Poison) else Poison("DynamoDB refuses the row as invalid")
        return _publish_fault(why, message.body, view)


def _settle_by_newer(newer: Result, older: Message) -> Result:
    """Settle an older update by the newer one: it comes again together with that, or was compacted into it."""
    if newer.outcome is Outcome.FAILED:
        return Result(older.message_id, Outcome.FAILED, older.event, newer.error, newer.is_live)
    return Result(older.message_id, Outcome.COMPACTED, older.event, is_live=newer.is_live, origin=older.update.origin)


def _publish_fault(error: Exception, body: str, view: View) -> Outcome:
    publish([fault_of(error, body, consumer=f"{view.name}.listener", now_ms=clock.now_ms())], source=view.name)
    return Outcome.FAULT
