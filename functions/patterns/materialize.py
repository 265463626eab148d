"""A batch of domain events -> rows of a view; every message is answered for on its own."""

from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

from botocore.exceptions import ClientError

from patterns import clock
from patterns.bus_entry import from_message
from patterns.domain_event import DomainEvent
from patterns.errors import Poison
from patterns.fault import fault_of
from patterns.inverse_oplock import put_if_newer
from patterns.log import logger
from patterns.publish import publish
from patterns.table import Table, code_of
from patterns.view_update import On, ViewUpdate

FAULT = "fault"
FAILED = "failed"

# As many as a batch has messages: each waits for the network, not for the CPU.
PARALLEL = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Where and how a view is kept."""

    name: str
    table: Table
    on: On
    ttl_days: int | None


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one message: an `Outcome`, `fault` or `failed` (it will come again)."""

    message_id: str
    outcome: str
    error: str | None = None


def materialize(event: Mapping[str, Any], context: Any, *, view: View) -> dict[str, Any]:  # noqa: ANN401
    """Handle a batch of a queue; answer `{"batchItemFailures": [{"itemIdentifier"}]}`, the messages to try again."""
    records = event["Records"]
    results = list(_each(records, view))
    failures = [result.message_id for result in results if result.outcome == FAILED]
    logger().info(
        "materialized",
        extra={
            "function_request_id": context.aws_request_id,
            "received": len(records),
            **Counter(result.outcome for result in results),
            "errors": sorted({result.error for result in results if result.error}),
        },
    )
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failures]}


def interpret(body: str, on: On) -> tuple[DomainEvent, ViewUpdate]:
    """Read a message and decide what the view keeps of it. Pure.

    Raises:
        Poison: nobody can make anything of it.

    """
    delivery = from_message(body)
    decide = on.get((delivery.source, delivery.event.type))
    if decide is None:
        raise Poison(f"nothing is kept of {delivery.event.type} of {delivery.source}")
    return delivery.event, decide(delivery.event)


def _each(records: list[dict[str, Any]], view: View) -> Iterable[Result]:
    if len(records) == 1:
        return [_process(records[0], view)]
    return _pool().map(lambda record: _process(record, view), records)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(PARALLEL)


def _process(record: Mapping[str, Any], view: View) -> Result:
    message_id = record["messageId"]
    try:
        return Result(message_id, _apply(record["body"], view))
    except Exception as error:  # noqa: BLE001  whatever it is, the neighbours must not suffer; the queue tries it again
        return Result(message_id, FAILED, type(error).__name__)


def _apply(body: str, view: View) -> str:
    try:
        event, update = interpret(body, view.on)
    except Exception as error:  # noqa: BLE001  interpreting is pure, so that it would fail in the same way for ever
        return _give_up(error, body, view)
    try:
        return put_if_newer(view.table, update, event, ttl_days=view.ttl_days, now_ms=clock.now_ms())
    except Poison as error:
        return _give_up(error, body, view)
    except ClientError as error:
        if code_of(error) != "ValidationException":
            raise
        return _give_up(Poison("DynamoDB refuses the row as invalid"), body, view)


def _give_up(error: Exception, body: str, view: View) -> str:
    publish([fault_of(error, body, consumer=f"{view.name}.listener", now_ms=clock.now_ms())], source=view.name)
    return FAULT
