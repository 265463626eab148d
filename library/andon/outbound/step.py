"""The next step of a message, from all that is known about its recipient. Pure.

A message goes by one way after another until one took it. What another delivery covers is not told again.
"""

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from andon.outbound.delivery import (
    COVERING,
    MOST_CALLS,
    NO_CHANNEL,
    TRIED_FOR_MS,
    Delivery,
    Notice,
    Status,
    covering,
)
from andon.outbound.gateway import Waiting, Wake, Way
from andon.outbound.mailbox import Box


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
