"""Events that wake it -> messages to people, each by the first channel that takes it.

A claim comes before the call, and the mark after it: whoever is killed in between leaves a claim, which another worker
takes up behind its lease. A call without an answer is made once more at the most.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from andon.dynamodb.client import Table
from andon.events.put_back import apart
from andon.events.received import Received, received
from andon.outbound import mailbox, pace
from andon.outbound.channel import Channel, Message, NotTaken, Outcome, RefusedForGood, Sent, Unknown
from andon.outbound.delivery import Delivery, Gateway, Notice, Status, Waiting, Wake
from andon.outbound.mailbox import ClaimDelivery, Close, Nothing, NoWay, Reason, Told, Wait, next_step
from andon.outbound.pace import Turn
from andon.runtime import clock
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger, with_metrics
from andon.runtime.message_batch import BatchResponse, retry
from andon.runtime.tried import Failed, tried
from andon.wire.aws import name_of
from andon.wire.deadline import longest_ms, time_of_attempt_ms
from andon.wire.queue import SEND
from andon.wire.queue import name_of as name_of_queue

# Counts of a sender's invocation, for its log line, metrics and alarms. Without imports.

OPEN: Final = "open"
CAPPED: Final = "capped"


class SenderCounts:
    """The lines whose breaker was open, and those that had nothing left of their day; see `Way.line`."""

    def __init__(self) -> None:
        self.open = set[str]()
        self.capped = set[str]()


MOST_STEPS: Final = 50
"""Of a message at a time: each ends a delivery, or was another worker's."""

CALL_MS: Final = 12_000
"""So much time is left when a message is begun: a call, and the mark of how it ended."""

DEFECT: Final = "defect"


class NotYet(Exception):
    """A message has to come again."""


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
    for _ in range(MOST_STEPS):
        now_ms, table = clock.now_ms(), gateway.table
        box = mailbox.read(table, wake.recipient, now_ms)
        waiting = gateway.waiting_of(wake, now_ms)
        channels = gateway.channels()
        ways = [way for way in gateway.ways_of(wake, waiting.due, now_ms) if way.channel in channels]
        by_channel = {way.channel: pace.read(table, way.line) for way in ways}
        open_now = {name for name, one in by_channel.items() if one.is_open(now_ms)}
        counted.open |= {one.channel for one in by_channel.values() if one.is_tripped}
        match next_step(wake, box, waiting, ways, closed=closed | open_now, now_ms=now_ms):
            case Told(delivery):
                gateway.tell_story(delivery, _covered(delivery, waiting))
                return delivery
            case Nothing():
                return None
            case NoWay(delivery):
                mailbox.mark(table, None, delivery)
                return None
            case Close(old, new):
                mailbox.mark(table, old, new)
            case Wait():
                raise NotYet
            case ClaimDelivery() as step:
                one = by_channel[step.way.channel]
                message = gateway.compose(wake, step.way, _covered(step.new, waiting), now_ms)
                has_turn = _has_turn(table, step, one, closed, counted)
                if has_turn and mailbox.claim(table, box, step.old, step.new, step.way):
                    _call(table, channels[step.way.channel], one, step.new, message, closed)
    raise NotYet


def _has_turn(
    table: Table, step: ClaimDelivery, breaker: pace.Breaker, closed: set[str], counted: SenderCounts
) -> bool:
    """Return True if a channel takes a message now; else it is closed, or was capped for this message."""
    now_ms = clock.now_ms()
    turn = pace.take(table, step.way) if pace.take_probe(table, breaker, now_ms) else Turn.BUSY
    if turn is Turn.SPENT:
        counted.capped.add(step.way.line)
        mailbox.mark(table, step.old, capped(step, now_ms))
    elif turn is Turn.BUSY:
        closed.add(step.way.channel)
    return turn is Turn.TAKEN


def capped(claim: ClaimDelivery, now_ms: int) -> Delivery:
    """Return the delivery of a claim that its channel has nothing left for in this day: a channel that failed.

    What was sent without an answer before may have told.
    """
    is_new = claim.old is None or claim.old.calls == 0
    unclaimed = claim.new._replace(calls=claim.new.calls - 1, lease_ms=0)
    return unclaimed.ended(Status.FAILED if is_new else Status.UNSURE, now_ms, reason=Reason.CAPPED)


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
            mailbox.mark(table, claimed, claimed.ended(Status.SENT, now_ms, provider_id=provider_id))
        case RefusedForGood(reason):
            mailbox.mark(table, claimed, claimed.ended(Status.FAILED, now_ms, reason=reason))
        case NotTaken(reason):
            mailbox.mark(table, claimed, claimed.given_back(reason, now_ms))
            closed.add(claimed.channel)
        case Unknown():
            pass  # the claim stands until its lease is over
    pace.record(table, breaker, outcome, now_ms)
    if isinstance(outcome, Unknown):
        raise NotYet


def _send(channel: Channel, message: Message) -> Outcome:
    """Call a channel; a defect of it may have sent the message."""
    outcome = tried(channel.send, message)
    return Unknown(DEFECT) if isinstance(outcome, Failed) else outcome


def _covered(delivery: Delivery, waiting: Waiting) -> Sequence[Notice]:
    """Return the notices that a delivery covers, as far as they are still known."""
    return [notice for notice in waiting.known if notice.id in delivery.covers]
