"""A batch of domain events -> rows of a view; every message is answered for on its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from botocore.exceptions import ClientError

from patterns import clock
from patterns.aws import code_of, name_of
from patterns.bus_entry import from_message
from patterns.compaction import Letter, compact
from patterns.domain_event import DomainEvent
from patterns.errors import Poison
from patterns.fault import fault_of
from patterns.in_parallel import in_parallel
from patterns.inverse_oplock import Outcome, put_if_newer
from patterns.ledger import Fate, Result, failures, line_of
from patterns.log import logger
from patterns.micro_event_store import collect
from patterns.publish import publish
from patterns.stored_event import Collected
from patterns.table import Table
from patterns.upcast import NONE, Upcasters, upcast
from patterns.view_update import Heard, ViewUpdate

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
    letters, faults = [], []
    for record in records:
        message_id, body = record["messageId"], record.get("body", "")
        try:
            letters.append(Letter(message_id, body, *interpret(body, view.on, view.upcasters)))
        except Exception as error:  # noqa: BLE001  interpreting is pure, so that it would fail in the same way for ever
            faults.append(partial(_settle_poison, message_id, body, error, view))
    return [*faults, *(partial(_settle, group, view) for group in compact(letters))]


def _settle(letters: list[Letter], view: View) -> list[Result]:
    """Write the newest of several updates of one row; an older one only if those before it can never be written."""
    results: list[Result] = []
    for number, letter in enumerate(letters):
        older = letters[number + 1 :]
        try:
            fate = _write(letter, view)
        except Exception as error:  # noqa: BLE001  whatever it is, the neighbours must not suffer; the queue tries it again
            return results + [_result(one, Fate.FAILED, name_of(error)) for one in (letter, *older)]
        results.append(_result(letter, fate))
        if fate is not Fate.FAULT:
            return results + [_result(one, Fate.COMPACTED) for one in older]
    return results


def _settle_poison(message_id: str, body: str, error: Exception, view: View) -> list[Result]:
    try:
        return [Result(message_id, _give_up(error, body, view), error=name_of(error))]
    except Exception as failure:  # noqa: BLE001  see _settle
        return [Result(message_id, Fate.FAILED, error=name_of(failure))]


def _write(letter: Letter, view: View) -> Fate:
    try:
        outcome = _keep(letter, view, now_ms=clock.now_ms())
    except Poison as error:
        return _give_up(error, letter.body, view)
    except ClientError as error:
        if code_of(error) != "ValidationException":
            raise
        return _give_up(Poison("DynamoDB refuses the row as invalid"), letter.body, view)
    return Fate(outcome.value)


def _keep(letter: Letter, view: View, *, now_ms: int) -> Outcome:
    match letter.update:
        case Collected() as collected:
            return collect(view.table, collected, letter.event, now_ms=now_ms)
        case update:
            return put_if_newer(view.table, update, letter.event, ttl_days=view.ttl_days, now_ms=now_ms)


def _give_up(error: Exception, body: str, view: View) -> Fate:
    publish([fault_of(error, body, consumer=f"{view.name}.listener", now_ms=clock.now_ms())], source=view.name)
    return Fate.FAULT


def _result(letter: Letter, fate: Fate, error: str | None = None) -> Result:
    return Result(letter.message_id, fate, letter.event, error)
