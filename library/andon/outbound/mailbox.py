"""The mailbox of a recipient: what is on its way to them, and a version, so that of two workers one claims."""

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

from andon.dynamodb.client import Put, Table, transact
from andon.dynamodb.errors import ConditionFailed, TransactionConditionsFailed, TransactionConflict
from andon.dynamodb.expressions import Condition
from andon.dynamodb.key_query import Between, KeyQuery
from andon.dynamodb.ttl import ttl_at
from andon.outbound.delivery import (
    COVERING,
    DELIVERY,
    MOST_CALLS,
    NO_CHANNEL,
    TRIED_FOR_MS,
    TTL_DAYS,
    Delivery,
    Notice,
    Status,
    Waiting,
    Wake,
    Way,
    covering,
    since,
)
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


# The next step of a message, from all that is known about its recipient. Pure.
#
# A message goes by one way after another until one took it. What another delivery covers is not told again.


class Reason(StrEnum):
    """Why a delivery failed; a channel has reasons of its own beside."""

    NO_CHANNEL = "no-channel"
    CAPPED = "capped"
    NOT_TAKEN = "not-taken"
    UNSURE = "unsure"


class Told(NamedTuple):
    """It was sent."""

    delivery: Delivery


class Nothing(NamedTuple):
    """There is nothing to tell, or nothing left to try."""


class Wait(NamedTuple):
    """Somebody may be calling, or no way is open now: the message has to come again."""


class Close(NamedTuple):
    """A delivery ends, without a call."""

    old: Delivery
    new: Delivery


class ClaimDelivery(NamedTuple):
    """A delivery is to be claimed, and its channel called at once. old: as it was read, None: there was none."""

    old: Delivery | None
    new: Delivery
    way: Way


class NoWay(NamedTuple):
    """No way is left: that is a failure of its own."""

    delivery: Delivery


Step = Told | Nothing | Wait | Close | ClaimDelivery | NoWay

OVER: Final = frozenset({Status.FAILED, Status.UNSURE})


def next_step(
    wake: Wake, box: Box, waiting: Waiting, ways: Sequence[Way], *, closed: Collection[str], now_ms: int
) -> Step:
    """Return the next step of a message; closed: channels that take nothing now, by their breaker or by an answer."""
    own = {one.channel: one for one in box.deliveries if one.message == wake.message}
    if NO_CHANNEL in own:
        return Nothing()
    under_way = next((one for one in own.values() if one.status in COVERING), None)
    if under_way is not None:
        return _go_on(under_way, ways, closed=closed, now_ms=now_ms)
    due = [*_left(wake, box, waiting.due)]
    return _begin(wake, box, own, due, ways, closed=closed, now_ms=now_ms) if due else Nothing()


def _go_on(delivery: Delivery, ways: Sequence[Way], *, closed: Collection[str], now_ms: int) -> Step:
    """Return the next step of a delivery that was claimed: once more, of the same, behind its lease."""
    if delivery.status is Status.SENT:
        return Told(delivery)
    if now_ms < delivery.lease_ms:
        return Wait()
    way = next((one for one in ways if one.channel == delivery.channel), None)
    if way is None or delivery.channel in closed or delivery.calls >= MOST_CALLS:
        return Close(delivery, delivery.ended(Status.UNSURE, now_ms, reason=Reason.UNSURE))
    return ClaimDelivery(delivery, delivery.claimed(now_ms), way)


def _begin(
    wake: Wake,
    box: Box,
    own: dict[str, Delivery],
    due: Sequence[Notice],
    ways: Sequence[Way],
    *,
    closed: Collection[str],
    now_ms: int,
) -> Step:
    """Return the claim of the first way that is open, of those that have not failed."""
    last, is_held = "", False
    for way in ways:
        old = own.get(way.channel)
        if old is not None and old.status in OVER:
            last = old.reason
        elif old is not None and old.is_worn_out:
            return Close(old, old.ended(Status.FAILED, now_ms, reason=Reason.NOT_TAKEN))
        elif way.channel in closed or box.is_spent(way, now_ms):
            is_held = True
        else:
            return ClaimDelivery(old, _delivery(wake, way.channel, due, now_ms, old).claimed(now_ms), way)
    if is_held and now_ms - wake.at_ms < TRIED_FOR_MS:
        return Wait()
    reason = Reason.CAPPED if is_held else last or Reason.NO_CHANNEL
    return NoWay(_delivery(wake, NO_CHANNEL, due, now_ms, None).ended(Status.FAILED, now_ms, reason=reason))


def _left(wake: Wake, box: Box, due: Sequence[Notice]) -> Iterator[Notice]:
    """Yield what nobody has told: what another message may have told is that one's to tell again."""
    covered = {
        notice
        for one in box.deliveries
        if one.status in COVERING or (one.status is Status.UNSURE and one.message != wake.message)
        for notice in one.covers
    }
    return (notice for notice in due if notice.id not in covered)


def _delivery(wake: Wake, channel: str, due: Sequence[Notice], now_ms: int, old: Delivery | None) -> Delivery:
    """Return a delivery that is new, or once more of what waits now."""
    made = Delivery(wake.recipient, wake.message, channel, at_ms=now_ms, changed_ms=now_ms, **covering(due))
    return (
        made if old is None else made._replace(at_ms=old.at_ms, version=old.version, calls=old.calls, tries=old.tries)
    )
