"""A batch of domain events -> rows of a view: parse, decide, compact, send, settle; each message on its own."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from andon.dynamodb.client import ItemRefused, Table
from andon.events.bus_entry import Delivery, Replay, from_message, require_not_ahead
from andon.events.domain_event import DomainEvent
from andon.events.fault import faults_of_facts
from andon.events.hops import require_few
from andon.events.publish import publish
from andon.events.put_back import again
from andon.events.received import Received, received
from andon.events.upcast import NONE, Upcasters, upcast
from andon.runtime import clock
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.runtime.message_batch import BatchResponse, retry
from andon.runtime.tried import Failed, tried
from andon.views.outcome import Outcome
from andon.views.results import Result, failures, line_of
from andon.views.view_update import FactWrite, RowWrite, Subscriptions, compact
from andon.wire.deadline import in_time
from andon.wire.in_parallel import in_parallel
from andon.wire.queue import WORK
from andon.wire.queue import name_of as name_of_queue

if TYPE_CHECKING:  # it loads threads and URLs, which a listener of a table does not need
    from andon.views.object_table import ObjectTable

Update = TypeVar("Update", bound=RowWrite)


NOTHING: Final[Subscriptions] = {}

REFUSED: Final = "DynamoDB refuses the row as invalid"


class Listener(NamedTuple):
    """A consumer of events that keeps rows; `upcasters` read events that were published in older shapes.

    restores: the subscriptions of a replay that brings back rows which expired. is_rebuilt: the events of the lake
    may be replayed to it; False: it decides upon them, and would decide again. expires_within_days: so far behind its
    event a date of a row lies, see `OplockedFields.expires_at`; None: rows have no dates. purpose: of its queue.
    """

    name: str
    table: "Table | ObjectTable"
    on: Subscriptions
    ttl_days: int | None
    upcasters: Upcasters = NONE
    restores: Subscriptions = NOTHING
    is_rebuilt: bool = True
    expires_within_days: int | None = None
    purpose: str = WORK

    @property
    def queue(self) -> str:
        """The name of its queue within its deployment."""
        return name_of_queue(self.name, self.purpose)

    def on_of(self, replay: Replay | None) -> Subscriptions:
        """Return the subscriptions of live events, or of those of a replay."""
        if replay is None:
            return self.on
        if replay.until is not None:
            return self.restores
        return self.on if self.is_rebuilt else NOTHING


@in_time
def materialize(event: JsonMapping, context: LambdaContext, *, listener: Listener) -> BatchResponse:
    """Handle a batch of a queue; return the messages to try again."""
    messages, unreadable = _parse_and_decide(received(event["Records"]), listener)
    if isinstance(listener.table, Table):
        sends = [partial(_send_newest, group, listener.table, listener) for group in compact(messages)]
        written = [*chain.from_iterable(in_parallel(sends))]
    else:
        written = _write_to_objects(listener.table, messages, listener)
    results = _with_faults([*unreadable, *written], listener)
    left = again(failures(results), queue=listener.queue)
    line = line_of(results, view=listener.name, now_ms=clock.now_ms(), put_back=left.put_back)
    logger().info("materialized", extra={"function_request_id": context.aws_request_id, **line})
    return retry(left.left)


def interpret(
    body: str,
    on: Mapping[tuple[str, str], Callable[[DomainEvent], Update]],
    upcasters: Upcasters = NONE,
    *,
    now_ms: int,
) -> tuple[DomainEvent, Update]:
    """Read the message of one fact, bring its event into today's shape, and decide its update. Pure.

    Raises:
        Poison: it is no fact that the view subscribes to, or its time lies ahead.

    """
    return understand(from_message(body), on, upcasters, now_ms=now_ms)


def understand(
    delivery: Delivery,
    on: Mapping[tuple[str, str], Callable[[DomainEvent], Update]],
    upcasters: Upcasters,
    *,
    now_ms: int,
) -> tuple[DomainEvent, Update]:
    """Bring the event of a delivery into today's shape, and decide its update. Pure.

    Raises:
        Poison: see `interpret`.

    """
    decide = on.get((delivery.source, delivery.event.type))
    if decide is None:
        raise Poison(f"nothing is kept of {delivery.event.type} of {delivery.source}")
    require_not_ahead(delivery, now_ms=now_ms)
    require_few(delivery.event)
    event = upcast(delivery.event, upcasters, source=delivery.source)
    update = decide(event)
    if update is None:  # its type says that it cannot be, which not everybody checks
        raise TypeError(f"ON has no update for {event.type} {event.id}: of what shows nothing the fields are None")
    return event, update


def _parse_and_decide(facts: Iterable[Received], listener: Listener) -> tuple[list[FactWrite], list[Result]]:
    messages, unreadable, now_ms = [], [], clock.now_ms()
    for one in facts:
        message = tried(_message, one, listener, now_ms)  # pure: it would fail in the same way for ever
        if isinstance(message, Failed):
            unreadable.append(Result(one, Outcome.FAULT, error=message.error, is_live=not one.is_replayed))
        else:
            messages.append(message)
    return messages, unreadable


def _message(one: Received, listener: Listener, now_ms: int) -> FactWrite:
    delivery = one.read()
    event, update = understand(delivery, listener.on_of(delivery.replay), listener.upcasters, now_ms=now_ms)
    return FactWrite(one, event, update, delivery.replay, delivery.taken_ms)


def _send_newest(newest_first: Sequence[FactWrite], table: Table, listener: Listener) -> list[Result]:
    """Write the newest of several updates of one row; an older one only if those before it can never be written."""
    results: list[Result] = []
    for message in newest_first:
        if results and results[-1].outcome is not Outcome.FAULT:
            results.append(_settle_by_newer(results[-1], message))
        else:
            results.append(_result_of(message, tried(_write, table, message, listener)))
    return results


def _write_to_objects(table: "ObjectTable", messages: Sequence[FactWrite], listener: Listener) -> list[Result]:
    from andon.views.object_batch import write_objects  # noqa: PLC0415  see above

    written = write_objects(table, messages, ttl_days=listener.ttl_days)
    return [_result_of(message, one) for message, one in zip(messages, written, strict=True)]


def _result_of(message: FactWrite, outcome: Outcome | Failed) -> Result:
    is_live = message.replay is None
    if isinstance(outcome, Failed):
        failed = Outcome.FAULT if isinstance(outcome.error, Poison) else Outcome.FAILED
        return Result(message.received, failed, message.event, outcome.error, is_live)
    return Result(message.received, outcome, message.event, None, is_live, message.taken_ms, _origin_of(message))


def _origin_of(message: FactWrite) -> str:
    """Return the service of an event if its update names it: the other origins are entities, see `origin_of_entity`."""
    origin = message.update.origin
    return origin if origin == message.event.tags.get("source") else ""


def _write(table: Table, message: FactWrite, listener: Listener) -> Outcome:
    update, event, now_ms = message.update, message.event, clock.now_ms()
    try:
        return update.write(table, event, ttl_days=listener.ttl_days, now_ms=now_ms, replay=message.replay)
    except ItemRefused as error:
        raise Poison(REFUSED) from error


def _settle_by_newer(newer: Result, older: FactWrite) -> Result:
    """Settle an older update by the newer one: it comes again together with that, or was compacted into it."""
    if newer.outcome is Outcome.FAILED:
        return Result(older.received, Outcome.FAILED, older.event, newer.error, newer.is_live)
    return Result(older.received, Outcome.COMPACTED, older.event, is_live=newer.is_live, origin=_origin_of(older))


def _with_faults(results: Sequence[Result], listener: Listener) -> Sequence[Result]:
    """Publish the faults of each message; return the results, failed if theirs could not be published.

    Those of a replay were published when it came first; now nothing goes to the bus.
    """
    by_message = defaultdict[str, list[Result]](list)
    for result in results:
        if result.outcome is Outcome.FAULT and result.is_live:
            by_message[result.received.message_id].append(result)
    if not by_message:
        return results
    failures_to_publish = in_parallel([partial(_publish_faults, bad, listener) for bad in by_message.values()])
    failed = dict(zip(by_message, failures_to_publish, strict=True))
    return [_if_published(result, failed.get(result.received.message_id)) for result in results]


def _publish_faults(bad: Sequence[Result], listener: Listener) -> Exception | None:
    """Publish the faults of one message; return the exception if that failed."""
    found = [(result.received.body, result.error or Poison()) for result in bad]
    faults = faults_of_facts(found, consumer=f"{listener.name}.listener", now_ms=clock.now_ms())
    published = tried(partial(publish, source=listener.name), faults)
    return published.error if isinstance(published, Failed) else None


def _if_published(result: Result, failure: Exception | None) -> Result:
    if failure is None or result.outcome is not Outcome.FAULT:
        return result
    return result._replace(outcome=Outcome.FAILED, error=failure)
