"""A batch of domain events -> rows of a view; every message is answered for on its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from patterns.dynamodb.client import Table
from patterns.dynamodb.errors import ItemRefused
from patterns.events.bus_entry import from_message
from patterns.events.domain_event import DomainEvent
from patterns.events.fault import fault_of
from patterns.events.publish import publish
from patterns.events.upcast import NONE, Upcasters, upcast
from patterns.rules.micro_event_store import collect
from patterns.rules.stored_event import Collected
from patterns.runtime import clock
from patterns.runtime.aws import name_of
from patterns.runtime.errors import Poison
from patterns.runtime.in_parallel import in_parallel
from patterns.runtime.log import logger
from patterns.views.compaction import Message, compact
from patterns.views.inverse_oplock import Outcome, put_if_newer
from patterns.views.ledger import Fate, Result, failures, line_of
from patterns.views.view_update import Heard, ViewUpdate

Kept = TypeVar("Kept", ViewUpdate, Collected, ViewUpdate | Collected)

Settle = Callable[[], list[Result]]
"""Deals with some messages of a batch, whatever happens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Where and how a view is kept; `upcasters` read what was told in older shapes."""

    name: str
    table: Table
    on: Heard
    ttl_days: int | None
    upcasters: Upcasters = field(default_factory=lambda: NONE)


def materialize(event: Mapping[str, Any], context: Any, *, view: View) -> dict[str, Any]:  # noqa: ANN401
    """Handle a batch of a queue; answer `{"batchItemFailures": [{"itemIdentifier"}]}`, the messages to try again."""
    results = in_parallel(_settlements(event["Records"], view))
    told = line_of(results, view=view.name, now_ms=clock.now_ms())
    logger().info("materialized", extra={"function_request_id": context.aws_request_id, **told})
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failures(results)]}


def interpret(
    body: str, on: Mapping[tuple[str, str], Callable[[DomainEvent], Kept]], upcasters: Upcasters = NONE
) -> tuple[DomainEvent, Kept]:
    """Read a message, in whatever shape it was told, and decide what the view keeps of it. Pure.

    Raises:
        Poison: nobody can make anything of it.

    """
    delivery = from_message(body)
    decide = on.get((delivery.source, delivery.event.type))
    if decide is None:
        raise Poison(f"nothing is kept of {delivery.event.type} of {delivery.source}")
    event = upcast(delivery.event, upcasters, source=delivery.source)
    return event, decide(event)


def _settlements(records: list[dict[str, Any]], view: View) -> list[Settle]:
    """Give what is to be done for a batch: a write for each row and oplock, a fault for each message that is poison."""
    messages, faults = [], []
    for record in records:
        message_id, body = record["messageId"], record.get("body", "")
        try:
            messages.append(Message(message_id, body, *interpret(body, view.on, view.upcasters)))
        except Exception as error:  # noqa: BLE001  interpreting is pure, so that it would fail in the same way for ever
            faults.append(partial(_settle_poison, message_id, body, error, view))
    return [*faults, *(partial(_settle, group, view) for group in compact(messages))]


def _settle(messages: list[Message], view: View) -> list[Result]:
    """Write the newest of several updates of one row; an older one only if those before it can never be written."""
    results: list[Result] = []
    for number, message in enumerate(messages):
        older = messages[number + 1 :]
        try:
            fate = _write(message, view)
        except Exception as error:  # noqa: BLE001  whatever it is, the neighbours must not suffer; the queue tries it again
            return results + [_result(one, Fate.FAILED, name_of(error)) for one in (message, *older)]
        results.append(_result(message, fate))
        if fate is not Fate.FAULT:
            return results + [_result(one, Fate.COMPACTED) for one in older]
    return results


def _settle_poison(message_id: str, body: str, error: Exception, view: View) -> list[Result]:
    try:
        return [Result(message_id, _give_up(error, body, view), error=name_of(error))]
    except Exception as failure:  # noqa: BLE001  see _settle
        return [Result(message_id, Fate.FAILED, error=name_of(failure))]


def _write(message: Message, view: View) -> Fate:
    try:
        outcome = _keep(message, view, now_ms=clock.now_ms())
    except Poison as error:
        return _give_up(error, message.body, view)
    except ItemRefused:
        return _give_up(Poison("DynamoDB refuses the row as invalid"), message.body, view)
    return Fate(outcome.value)


def _keep(message: Message, view: View, *, now_ms: int) -> Outcome:
    match message.update:
        case Collected() as collected:
            return collect(view.table, collected, message.event, now_ms=now_ms)
        case update:
            return put_if_newer(view.table, update, message.event, ttl_days=view.ttl_days, now_ms=now_ms)


def _give_up(error: Exception, body: str, view: View) -> Fate:
    publish([fault_of(error, body, consumer=f"{view.name}.listener", now_ms=clock.now_ms())], source=view.name)
    return Fate.FAULT


def _result(message: Message, fate: Fate, error: str | None = None) -> Result:
    return Result(message.message_id, fate, message.event, error)
