"""Events that wake it -> messages to people, each by the first channel that takes it, and once.

How a message is sent once, from the row that asks for it to the call of a provider and back:

To read on: `delivery.py` has the statuses of a delivery, `provider.py` the call. `pace.py` (may one be called now?)
and the channels decide nothing about once.

1. A service decides a message and keeps its row, once: the id is the same whoever decides it again. Its fact wakes the
   sender, by the sender's own queue (`_SENDS` of `andon.cdk.service`: ten seconds later, one message at a time). The
   message has no text: that is made of what waits when it is sent.
2. `tell` reads the deliveries to the recipient (their mailbox), what waits for them (`waiting_of`) and by which ways
   they are told (`ways_of`); `_next_step`, which is pure, says what is next. What another delivery covers is left out.
3. `_claim` writes the delivery as `claimed`, with a lease, and the next version of the mailbox, in one transaction: of
   two workers one has the claim, and alone goes on.
4. `_call` has the channel call its provider, once: `provider.py` never sends again by itself.
5. `_mark` writes how the call ended: `sent`, `failed` (the next channel is tried), `open` (nothing was taken, and the
   call does not count); without an answer the claim stands. Marks are facts by the table's stream, as any row.

Killed before 3: nothing was sent, and the message comes again. Killed between 3 and 5, or without an answer: nobody
knows. The claim counts as told until its lease is over; then whoever comes takes it up, be it the same message again or
another one to which it covers what is due (`_TakeUp`), and calls a second time. A second call without an answer is the
last one by this channel (`unsure`). So nobody is told more than twice by a channel, and twice only if the mark of the
first call is missing. Killed behind 5: the message comes again, finds `sent`, and repeats `tell_story` alone.

Each figure holds only if it is below the next one (`tests/infra/test_queues.py`); where they stand:

| figure | | where |
|---|---|---|
| a call takes at most | 5 s | `provider.LONGEST_MS` |
| is left when a message is begun, for a call and its mark | 12 s | `CALL_MS` |
| a sender lives at most | 20 s | `SIZES` of `andon.cdk.function` |
| a claim's lease: behind it, whoever claimed is gone | 90 s | `delivery.LEASE_MS` |
| the queue hides a message that was received | 120 s | `andon.cdk.queues`: six times the function's time |
| a message is held back, if no channel takes anything | 15 min | `delivery.TRIED_FOR_MS` |

The queue delivers a message so often that it ends by itself before (`delivery.most_receives`): as told, or as a
delivery by `NO_CHANNEL` that failed. One that became a dead letter, because of a defect, rings by that.
"""

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from functools import partial
from typing import Any, Final, NamedTuple

from andon.dynamodb.client import (
    ConditionFailed,
    Put,
    Table,
    TransactionConditionsFailed,
    TransactionConflict,
    transact,
)
from andon.dynamodb.expressions import Condition
from andon.dynamodb.ttl import ttl_at
from andon.events.put_back import apart
from andon.events.received import Received, received
from andon.outbound import pace
from andon.outbound.delivery import (
    MOST_CALLS,
    NO_CHANNEL,
    TRIED_FOR_MS,
    TTL_DAYS,
    Channel,
    Delivery,
    Gateway,
    Message,
    Notice,
    NotTaken,
    Outcome,
    RefusedForGood,
    Sent,
    Status,
    Unknown,
    Waiting,
    Wake,
    Way,
    covering,
    deliveries_of,
)
from andon.outbound.pace import Turn
from andon.runtime import clock
from andon.runtime.clock import HOUR_MS, MINUTE_MS
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger, with_metrics
from andon.runtime.message_batch import BatchResponse, retry
from andon.runtime.tried import Failed, tried
from andon.wire.aws import name_of
from andon.wire.deadline import in_time, longest_ms, time_of_attempt_ms
from andon.wire.queue import SEND
from andon.wire.queue import name_of as name_of_queue

# The mailbox of a recipient: what is on its way to them, and a version, so that of two workers one claims.

MAILBOX: Final = "mailbox"

LOUD_EVERY_MS: Final = 2 * MINUTE_MS
"""A recipient gets one loud message in so long."""


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


def read_box(table: Table, recipient: str, now_ms: int) -> Box:
    """Read the mailbox of a recipient; its version first, so that a claim fails if anything was claimed since."""
    row = table.get(table.keys.of(recipient, MAILBOX), consistent=True) or {}
    deliveries = deliveries_of(table, recipient, now_ms)
    return Box(row.get("version", 0), row.get("loud_ms", 0), row.get("used", {}), deliveries)


def _claim(table: Table, box: Box, old: Delivery | None, new: Delivery, way: Way) -> bool:
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


def _mark(table: Table, old: Delivery | None, new: Delivery) -> bool:
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


class _Reason(StrEnum):
    """Why a delivery failed; a channel has reasons of its own beside."""

    NO_CHANNEL = "no-channel"
    CAPPED = "capped"
    NOT_TAKEN = "not-taken"
    UNSURE = "unsure"


class _Told(NamedTuple):
    """It was sent."""

    delivery: Delivery


class _Nothing(NamedTuple):
    """There is nothing to tell, or nothing left to try."""


class _Wait(NamedTuple):
    """Somebody may be calling, or no way is open now: the message has to come again."""


class _Close(NamedTuple):
    """A delivery ends, without a call."""

    old: Delivery
    new: Delivery


class _ClaimDelivery(NamedTuple):
    """A delivery is to be claimed, and its channel called at once. old: as it was read, None: there was none."""

    old: Delivery | None
    new: Delivery
    way: Way


class _TakeUp(NamedTuple):
    """Another message claimed the due notices, and nobody ended that: it must be told first, in its place."""

    delivery: Delivery


class _NoWay(NamedTuple):
    """No way is left: that is a failure of its own."""

    delivery: Delivery


_Step = _Told | _Nothing | _Wait | _Close | _ClaimDelivery | _TakeUp | _NoWay

_COVERING: Final = frozenset({Status.CLAIMED, Status.SENT})
_OVER: Final = frozenset({Status.FAILED, Status.UNSURE})


def _next_step(
    wake: Wake, box: Box, waiting: Waiting, ways: Sequence[Way], *, closed: Collection[str], now_ms: int
) -> _Step:
    """Return the next step of a message; closed: channels that take nothing now, by their breaker or by an answer."""
    own = {one.channel: one for one in box.deliveries if one.message == wake.message}
    if NO_CHANNEL in own:
        return _Nothing()
    under_way = next((one for one in own.values() if one.status in _COVERING), None)
    if under_way is not None:
        return _go_on(under_way, ways, closed=closed, now_ms=now_ms)
    abandoned = _abandoned(wake, box, waiting.due, now_ms)
    if abandoned is not None:
        return _TakeUp(abandoned)
    due = [*_left(wake, box, waiting.due, now_ms)]
    return _begin(wake, box, own, due, ways, closed=closed, now_ms=now_ms) if due else _Nothing()


def _go_on(delivery: Delivery, ways: Sequence[Way], *, closed: Collection[str], now_ms: int) -> _Step:
    """Return the next step of a delivery that was claimed: once more, of the same, behind its lease."""
    if delivery.status is Status.SENT:
        return _Told(delivery)
    if now_ms < delivery.lease_ms:
        return _Wait()
    way = next((one for one in ways if one.channel == delivery.channel), None)
    if way is None or delivery.channel in closed or delivery.calls >= MOST_CALLS:
        return _Close(delivery, delivery.ended(Status.UNSURE, now_ms, reason=_Reason.UNSURE))
    return _ClaimDelivery(delivery, delivery.claimed(now_ms), way)


def _begin(
    wake: Wake,
    box: Box,
    own: dict[str, Delivery],
    due: Sequence[Notice],
    ways: Sequence[Way],
    *,
    closed: Collection[str],
    now_ms: int,
) -> _Step:
    """Return the claim of the first way that is open, of those that have not failed."""
    last, is_held = "", False
    for way in ways:
        old = own.get(way.channel)
        if old is not None and old.status in _OVER:
            last = old.reason
        elif old is not None and old.is_worn_out:
            return _Close(old, old.ended(Status.FAILED, now_ms, reason=_Reason.NOT_TAKEN))
        elif way.channel in closed or box.is_spent(way, now_ms):
            is_held = True
        else:
            return _ClaimDelivery(old, _delivery(wake, way.channel, due, now_ms, old).claimed(now_ms), way)
    if is_held and now_ms - wake.at_ms < TRIED_FOR_MS:
        return _Wait()
    reason = _Reason.CAPPED if is_held else last or _Reason.NO_CHANNEL
    return _NoWay(_delivery(wake, NO_CHANNEL, due, now_ms, None).ended(Status.FAILED, now_ms, reason=reason))


def _abandoned(wake: Wake, box: Box, due: Sequence[Notice], now_ms: int) -> Delivery | None:
    """Return the first abandoned delivery, of another message, that may have told due notices.

    That message may be a dead letter by now. If no channel was left for it, its end is known.
    """
    told = {notice for one in box.deliveries if one.may_have_told(now_ms) for notice in one.covers}
    left = {notice.id for notice in due} - told
    ended = {wake.message, *(one.message for one in box.deliveries if one.channel == NO_CHANNEL)}
    found = (one for one in box.deliveries if one.message not in ended and one.is_abandoned(now_ms))
    return next((one for one in found if not left.isdisjoint(one.covers)), None)


def _left(wake: Wake, box: Box, due: Sequence[Notice], now_ms: int) -> Iterator[Notice]:
    """Yield the untold notices: those that another message may have told are that one's to tell again."""
    covered = {
        notice
        for one in box.deliveries
        if one.status in _COVERING or (one.message != wake.message and _is_unsure(one, now_ms))
        for notice in one.covers
    }
    return (notice for notice in due if notice.id not in covered)


def _is_unsure(delivery: Delivery, now_ms: int) -> bool:
    return delivery.status is Status.UNSURE or delivery.is_abandoned(now_ms)


def _delivery(wake: Wake, channel: str, due: Sequence[Notice], now_ms: int, old: Delivery | None) -> Delivery:
    """Return a new delivery of the waiting notices, or the old one: its notices stay once a call may have told them."""
    if old is not None and old.calls:
        return old
    made = Delivery(wake.recipient, wake.message, channel, at_ms=now_ms, changed_ms=now_ms, **covering(due))
    return made if old is None else made._replace(at_ms=old.at_ms, version=old.version, tries=old.tries)


# Counts of a sender's invocation, for its log line, metrics and alarms.

OPEN: Final = "open"
CAPPED: Final = "capped"


class SenderCounts:
    """The lines with an open breaker, and those with nothing left of their day; see `Way.line`."""

    def __init__(self) -> None:
        self.open = set[str]()
        self.capped = set[str]()


_MOST_STEPS: Final = 50
"""Of a message at a time: each ends a delivery, or was another worker's."""

CALL_MS: Final = 12_000
"""So much time is left when a message is begun: a call, and the mark of how it ended."""

_DEFECT: Final = "defect"


class NotYet(Exception):
    """A message has to come again."""


@in_time
def send_messages(event: JsonMapping, context: LambdaContext, *, gateway: Gateway, service: str) -> BatchResponse:
    """Handle a batch of the sender's queue; a message that cannot be sent now comes again.

    Facts that came in a group come again, each by itself: a provider that is slow with one delays no other one.
    """
    facts, counted, now_ms = [*received(event["Records"])], SenderCounts(), clock.now_ms()
    grouped = apart([one for one in facts if one.whole], queue=name_of_queue(service, SEND))
    handle = partial(_handle, gateway, context, counted)
    results = [(one.message_id, tried(handle, one)) for one in facts if not one.whole]
    failed = [(message_id, result) for message_id, result in results if isinstance(result, Failed)]
    told = [result for _, result in results if not isinstance(result, Failed)]
    counts = {"messages": len(results), "told": sum(told), "again": len(failed), "put_back": grouped.put_back}
    metrics = {OPEN: len(counted.open), CAPPED: len(counted.capped)}
    errors = sorted({name_of(result.error) for _, result in failed if not isinstance(result.error, NotYet)})
    line = {
        "function_request_id": context.aws_request_id,
        **counts,
        **metrics,
        "lines": sorted(counted.open | counted.capped),
        "errors": errors,
    }
    logger().info("sent", extra=with_metrics(line, metrics, dimension="service", now_ms=now_ms))
    return retry((*grouped.left, *(message_id for message_id, _ in failed)))


def _handle(gateway: Gateway, context: LambdaContext, counted: SenderCounts, one: Received) -> bool:
    """Handle a message; return True if its recipient was told."""
    if context.get_remaining_time_in_millis() < CALL_MS:
        raise NotYet
    return tell(gateway.wake_of(one.read().event), gateway, counted)


def tell(wake: Wake, gateway: Gateway, counted: SenderCounts) -> bool:
    """Send a recipient the notices that wait; return True if this message told them.

    More than a delivery has room for is told in parts.

    Raises:
        NotYet: another worker may be calling, a call had no answer, or no channel takes anything now.

    """
    told = _tell_part(wake, gateway, counted)
    is_told = told is not None
    while told is not None and told.is_full:
        if time_of_attempt_ms() < longest_ms():
            raise NotYet
        wake = wake.next_part()
        told = _tell_part(wake, gateway, counted)
    return is_told


def _tell_part(wake: Wake, gateway: Gateway, counted: SenderCounts) -> Delivery | None:  # noqa: PLR0915  a line a step
    """Return the delivery by which a message, or a part of it, was told; None if it was not."""
    closed = set[str]()
    for _ in range(_MOST_STEPS):
        now_ms, table = clock.now_ms(), gateway.table
        box = read_box(table, wake.recipient, now_ms)
        waiting = gateway.waiting_of(wake, now_ms)
        channels = gateway.channels()
        ways = [way for way in gateway.ways_of(wake, waiting.due, now_ms) if way.channel in channels]
        by_channel = {way.channel: pace.read(table, way.line) for way in ways}
        open_now = {name for name, one in by_channel.items() if one.is_open(now_ms)}
        counted.open |= {one.channel for one in by_channel.values() if one.is_tripped}
        match _next_step(wake, box, waiting, ways, closed=closed | open_now, now_ms=now_ms):
            case _Told(delivery):
                gateway.tell_story(delivery, _covered(delivery, waiting))
                return delivery
            case _Nothing():
                return None
            case _NoWay(delivery):
                _mark(table, None, delivery)
                return None
            case _Close(old, new):
                _mark(table, old, new)
            case _TakeUp(delivery):
                _tell_part(wake.of(delivery.message), gateway, counted)
            case _Wait():
                raise NotYet
            case _ClaimDelivery() as step:
                one = by_channel[step.way.channel]
                message = gateway.compose(wake, step.way, _covered(step.new, waiting), now_ms)
                has_turn = _has_turn(table, step, one, closed, counted)
                if has_turn and _claim(table, box, step.old, step.new, step.way):
                    _call(table, channels[step.way.channel], one, step.new, message, closed)
    raise NotYet


def _has_turn(
    table: Table, step: _ClaimDelivery, breaker: pace.Breaker, closed: set[str], counted: SenderCounts
) -> bool:
    """Return True if a channel takes a message now; else it is closed, or was capped for this message."""
    now_ms = clock.now_ms()
    turn = pace.take(table, step.way) if pace.take_probe(table, breaker, now_ms) else Turn.BUSY
    if turn is Turn.SPENT:
        counted.capped.add(step.way.line)
        _mark(table, step.old, _capped(step, now_ms))
    elif turn is Turn.BUSY:
        closed.add(step.way.channel)
    return turn is Turn.TAKEN


def _capped(claim: _ClaimDelivery, now_ms: int) -> Delivery:
    """Return the delivery of a claim that its channel has nothing left for in this day: a channel that failed.

    What was sent without an answer before may have told.
    """
    is_new = claim.old is None or claim.old.calls == 0
    unclaimed = claim.new._replace(calls=claim.new.calls - 1, lease_ms=0)
    return unclaimed.ended(Status.FAILED if is_new else Status.UNSURE, now_ms, reason=_Reason.CAPPED)


def _call(
    table: Table,
    channel: Channel,
    breaker: pace.Breaker,
    claimed: Delivery,
    message: Message,
    closed: set[str],
) -> None:
    """Call a channel for a delivery that was claimed, and mark how that ended.

    Raises:
        NotYet: the call had no answer.

    """
    outcome, now_ms = _send(channel, message), clock.now_ms()
    match outcome:
        case Sent(provider_id):
            _mark(table, claimed, claimed.ended(Status.SENT, now_ms, provider_id=provider_id))
        case RefusedForGood(reason):
            _mark(table, claimed, claimed.ended(Status.FAILED, now_ms, reason=reason))
        case NotTaken(reason):
            _mark(table, claimed, claimed.given_back(reason, now_ms))
            closed.add(claimed.channel)
        case Unknown():
            pass  # the claim stands until its lease is over
    pace.record(table, breaker, outcome, now_ms)
    if isinstance(outcome, Unknown):
        raise NotYet


def _send(channel: Channel, message: Message) -> Outcome:
    """Call a channel; a defect of it may have sent the message."""
    outcome = tried(channel.send, message)
    return Unknown(_DEFECT) if isinstance(outcome, Failed) else outcome


def _covered(delivery: Delivery, waiting: Waiting) -> Sequence[Notice]:
    """Return the notices that a delivery covers, as far as they are still known."""
    return [notice for notice in waiting.known if notice.id in delivery.covers]
