"""Inverse optimistic locking: a field is written only by something newer, whatever order events arrive in.

*Newer* is the total order (timestamp, event id), kept as sortable text in one attribute per set of fields.
"""

from typing import TYPE_CHECKING

from patterns.dynamodb import ttl
from patterns.dynamodb.attribute_values import Item
from patterns.dynamodb.client import Table
from patterns.dynamodb.errors import ConditionFailed
from patterns.dynamodb.expressions import Condition
from patterns.events.domain_event import DomainEvent
from patterns.views.outcome import Outcome

if TYPE_CHECKING:
    from patterns.views.view_update import ViewUpdate

ATTEMPTS = 5

NEWER = "(attribute_not_exists(#oplock) OR #oplock < :oplock)"
# A row's ttl never moves backwards, and DynamoDB has no max(): either it grows with this write, or it stays.
TTL_GROWS = f"{NEWER} AND (attribute_not_exists(#ttl) OR #ttl <= :ttl)"
TTL_STAYS = f"{NEWER} AND #ttl > :ttl"


class TtlContended(Exception):
    """The row's ttl rose and fell between the attempts; the message must come again."""


def order_of(event: DomainEvent) -> str:
    """Return the text by which events are ordered: 13 digits of epoch milliseconds, then the id to break ties."""
    return f"{event.timestamp_ms:013d}#{event.id}"


def oplock_attribute(name: str) -> str:
    """Return the name of the attribute that keeps the order of the newest event seen under an oplock."""
    return f"oplock#{name}"


def put_if_newer(
    table: Table, update: "ViewUpdate", event: DomainEvent, *, ttl_days: int | None, now_ms: int
) -> Outcome:
    """Write `update` unless the row has seen something at least as new under the same oplock: one request, rarely two.

    Raises:
        TtlContended: the row kept changing between `ATTEMPTS` attempts.

    """
    if ttl_days is None:
        return _write(table, update, order_of(event), None)
    expires_at = ttl.ttl_at(event.timestamp_ms, ttl_days)
    if ttl.is_expired(expires_at, now_ms):
        return Outcome.EXPIRED  # a late duplicate must not resurrect a row that was reaped
    return _write(table, update, order_of(event), expires_at)


def _write(table: Table, update: "ViewUpdate", order: str, expires_at: int | None) -> Outcome:
    oplock = oplock_attribute(update.oplock)
    kept = {name: value for name, value in update.fields.items() if value is not None}
    assign = {**update.key_fields, **kept, oplock: order}
    remove = tuple(name for name in update.fields if name not in kept)
    for condition, more in _tries(oplock, order, expires_at) * ATTEMPTS:
        try:
            table.update(update.key, assign=assign | more, remove=remove, condition=condition)
        except ConditionFailed as failed:
            if dropped := _why_dropped(failed.row, oplock, order):
                return dropped
        else:
            return Outcome.APPLIED
    raise TtlContended


def _tries(oplock: str, order: str, expires_at: int | None) -> tuple[tuple[Condition, dict[str, int]], ...]:
    """Return the conditions to try in turn, each with what it assigns in addition."""
    if expires_at is None:
        return ((Condition(NEWER, {"oplock": oplock}, {"oplock": order}), {}),)
    names = {"oplock": oplock, "ttl": ttl.ATTRIBUTE}
    values = {"oplock": order, "ttl": expires_at}
    return (
        (Condition(TTL_GROWS, names, values), {ttl.ATTRIBUTE: expires_at}),
        (Condition(TTL_STAYS, names, values), {}),
    )


def _why_dropped(row: Item | None, oplock: str, order: str) -> Outcome | None:
    """Return why an event is dropped, from the row that the failed condition returned; None: it is newer after all."""
    seen = (row or {}).get(oplock, "")
    if seen == order:
        return Outcome.DUPLICATE
    return Outcome.STALE if seen > order else None
