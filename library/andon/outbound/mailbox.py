"""The mailbox of a recipient: what is on its way to them, and a version, so that of two workers one claims."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from andon.dynamodb.client import Put, Table, transact
from andon.dynamodb.errors import ConditionFailed, TransactionConditionsFailed, TransactionConflict
from andon.dynamodb.expressions import Condition
from andon.dynamodb.key_query import Between, KeyQuery
from andon.dynamodb.ttl import ttl_at
from andon.outbound.delivery import DELIVERY, TTL_DAYS, Delivery, since
from andon.outbound.gateway import Way
from andon.runtime.clock import HOUR_MS, MINUTE_MS

MAILBOX: Final = "mailbox"

LOUD_EVERY_MS: Final = 2 * MINUTE_MS
"""A recipient gets one loud message in so long."""

SEEN_MS: Final = 2 * HOUR_MS
"""Deliveries of messages that are older are over."""

PAGE: Final = 500  # of a query, which stops at 1 MB: that is some thirty deliveries that cover the most


class Box(NamedTuple):
    """A mailbox as it was read. version: 0 if there is none yet. loud_ms: when the last loud message was claimed.

    used: channel with a limit -> when messages were claimed, of the last hour.
    """

    version: int
    loud_ms: int
    used: dict[str, list[int]]
    deliveries: Sequence[Delivery]

    def is_spent(self, way: Way, now_ms: int) -> bool:
        """Return True if a limit is reached."""
        is_soon = way.is_loud and now_ms < self.loud_ms + LOUD_EVERY_MS
        return is_soon or (way.per_hour is not None and len(self._of_hour(way, now_ms)) >= way.per_hour)

    def after(self, way: Way, now_ms: int) -> dict[str, Any]:
        """Return the attributes of its next version, a message on a way later."""
        limited = {} if way.per_hour is None else {way.channel: [*self._of_hour(way, now_ms), now_ms]}
        loud_ms = now_ms if way.is_loud else self.loud_ms
        return {"version": self.version + 1, "loud_ms": loud_ms, "used": self.used | limited}

    def _of_hour(self, way: Way, now_ms: int) -> list[int]:
        return [at_ms for at_ms in self.used.get(way.channel, ()) if at_ms > now_ms - HOUR_MS]


def read(table: Table, recipient: str, now_ms: int) -> Box:
    """Read the mailbox of a recipient; its version first, so that a claim fails if anything was claimed since."""
    row = table.get(table.keys.of(recipient, MAILBOX), consistent=True) or {}
    upto = Between(since(now_ms - SEEN_MS), f"{DELIVERY}#~")
    rows = table.query_all(KeyQuery(table.keys, recipient, upto), page=PAGE, consistent=True)
    deliveries = [Delivery.of(one, table.keys) for one in rows]
    return Box(row.get("version", 0), row.get("loud_ms", 0), row.get("used", {}), deliveries)


def claim(table: Table, box: Box, old: Delivery | None, new: Delivery, way: Way) -> bool:
    """Claim a delivery, before its channel is called; return False if another worker was faster."""
    row = {
        **table.keys.of(new.recipient, MAILBOX),
        **box.after(way, new.changed_ms),
        "discriminator": MAILBOX,
        "ttl": ttl_at(new.changed_ms, TTL_DAYS),
    }
    try:
        transact(
            {
                "delivery": Put(table, new.row(table.keys), _unchanged(table, old)),
                MAILBOX: Put(table, row, _is_of(box.version) if box.version else table.absent),
            }
        )
    except (TransactionConditionsFailed, TransactionConflict):
        return False
    return True


def mark(table: Table, old: Delivery | None, new: Delivery) -> bool:
    """Write how a delivery ended, or that it was given back; return False if it is another worker's by now."""
    try:
        table.put(new.row(table.keys), condition=_unchanged(table, old))
    except ConditionFailed:
        return False
    return True


def _unchanged(table: Table, old: Delivery | None) -> Condition:
    """Return the condition that a delivery is as it was read."""
    return table.absent if old is None else _is_of(old.version)


def _is_of(version: int) -> Condition:
    return Condition("#version = :version", {"version": "version"}, {"version": version})
