"""What has become due -> decision rows. A schedule runs it, so that it also decides about what has gone silent.

A sweep goes round: it reads a page of each of its shards of the index and evaluates a few due times of each correlation
key, until nothing is due or time is short. So neither a shard nor a key that has much to be done delays the others.
On AWS several invocations share the shards.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.rules.backlog import Queues, Shard
from andon.rules.due import READ_SHARDS, Due, dues_of
from andon.rules.evaluate import Control, Counts, Evaluator, Verdict, publish_fault
from andon.rules.gaps import ends_ms, is_renewed
from andon.rules.hold_back import hold_back_ms
from andon.rules.micro_event_store import STORED_WITHIN_MS
from andon.rules.rule import Rule
from andon.rules.stored_event import CorrelationKey, is_place, time_of
from andon.runtime import clock, strict_json
from andon.runtime.errors import CallFailed
from andon.runtime.log import logger
from andon.runtime.metrics import directive
from andon.wire.aws import name_of
from andon.wire.deadline import in_time
from andon.wire.in_parallel import in_parallel

SWEEP: Final = "sweep"

# The metric of how long the oldest has been due of what a sweep did not do.
OLDEST: Final = "oldest"

# Of the function's time; what is left undone is due at the next sweep, too.
MARGIN_MS: Final = 10_000

# When a rule that nobody knows is asked for again: it comes back with the next deployment, or with a roll-back.
UNKNOWN_AGAIN_MS: Final = 5 * 60_000


# A timer is moved so often within a sweep, after an outage; then it is the turn of others.
MOST_MOVES: Final = 50

# The member of a schedule's input that lists the shards to be swept.
SHARDS: Final = "shards"

ALL_SHARDS: Final = range(READ_SHARDS)


class Swept(NamedTuple):
    """What became of some due times, and the name of the error, if one went wrong.

    since_ms: since when the oldest of those that were not done has been due; None: all are done.
    """

    counts: Counts
    error: str | None = None
    since_ms: int | None = None


def shards_in(event: Mapping[str, Any]) -> Sequence[int]:
    """Return the shards to be swept: those that the schedule's input lists, or all."""
    return [int(shard) for shard in event[SHARDS]] if SHARDS in event else ALL_SHARDS


@in_time
def sweep(context: Any, *, control: Control, shards: Sequence[int] = ALL_SHARDS) -> None:  # noqa: ANN401  Lambda's context
    """Evaluate what is due and remove it from the index; what fails stays there for the next sweep."""
    now_ms, queues, swept = clock.now_ms(), Queues(), list[Swept]()
    is_time_left = partial(_is_time_left, context)
    unread = _in_turn(shards, now_ms)
    while is_time_left() and (queues.waiting or any(shard.has_more for shard in unread)):
        for shard in unread:
            swept += _read(shard, queues, control, now_ms)
        swept += _take_turns(queues, control, now_ms, is_time_left)
    swept += _left_of(queues, unread, control.table)
    _log(swept, context.aws_request_id, now_ms)


def _is_time_left(context: Any) -> bool:  # noqa: ANN401  Lambda's context
    return bool(context.get_remaining_time_in_millis() >= MARGIN_MS)


def _in_turn(shards: Sequence[int], now_ms: int) -> list[Shard]:
    """Return the shards; each minute begins with another one, so that none is always the last."""
    first = now_ms // 60_000
    return [Shard(shards[(first + number) % len(shards)]) for number in range(len(shards))]


def _left_of(queues: Queues, shards: Iterable[Shard], table: Table) -> Iterator[Swept]:
    """Return what this sweep did not get to; of a shard that was not read to its end, at least one."""
    queues.leave()
    yield Swept(Counts(left=queues.left), since_ms=queues.since_ms)
    for shard in shards:
        if shard.has_more:
            yield Swept(Counts(left=1), since_ms=shard.since_ms(table))


def _read(shard: Shard, queues: Queues, control: Control, now_ms: int) -> list[Swept]:
    """Read a page of a shard into the queues; return what became of rows that nobody can read."""
    if not shard.has_more:
        return []
    try:
        rows = shard.read_on(control.table, now_ms - STORED_WITHIN_MS)
    except CallFailed as failure:  # the other shards must not suffer
        shard.has_more = False
        return [Swept(Counts(failed=1), name_of(failure))]
    unreadable = []
    for row in rows:
        try:
            queues.add(Due.of(row, control.table.keys))
        except Exception as error:  # noqa: BLE001  something else wrote into the index, and reading it is pure
            unreadable.append(partial(_remove_unreadable, row, error, control))
    return in_parallel(unreadable)


def _remove_unreadable(row: Item, error: Exception, control: Control) -> Swept:
    try:
        publish_fault(error, control, strict_json.dumps(row), by=SWEEP)
        control.table.delete({name: row[name] for name in control.table.keys.names})
    except Exception as failure:  # noqa: BLE001  see _settle
        return Swept(Counts(due=1, failed=1), name_of(failure))
    return Swept(Counts({"due": 1, Verdict.FAULT: 1}), name_of(error))


def _take_turns(queues: Queues, control: Control, now_ms: int, is_time_left: Callable[[], bool]) -> Iterator[Swept]:
    """Settle the next few due times of each key; what is behind one that fails is left to the next sweep."""
    turns = [*queues.take_turns()]
    tasks = [partial(_settle, key, dues, control, now_ms, is_time_left) for key, dues in turns]
    for key, done in in_parallel(tasks):
        yield done
        if done.error is not None:
            behind = queues.drop(key)
            yield Swept(Counts(due=behind, failed=behind))


def _settle(
    key: CorrelationKey, dues: Sequence[Due], control: Control, now_ms: int, is_time_left: Callable[[], bool]
) -> tuple[CorrelationKey, Swept]:
    """Evaluate what is due under one correlation key, in order, up to what fails."""
    anchors = [due.anchor for due in dues]
    evaluator, counts = Evaluator(control, key, anchors=anchors, now_ms=now_ms), Counts()
    for number, due in enumerate(dues):
        if not is_time_left():
            return key, Swept(counts + Counts(left=len(dues) - number), since_ms=due.at_ms)
        try:
            counts += _evaluate(due, evaluator, control, now_ms)
            control.table.delete(due.row_key(control.table.keys))
        except Exception as error:  # noqa: BLE001  whatever it is, other keys must not suffer; the next sweep tries it again
            failed = len(dues) - number
            return key, Swept(counts + Counts(due=failed, failed=failed), name_of(error), due.at_ms)
        counts["due"] += 1
    return key, Swept(counts)


def _evaluate(due: Due, evaluator: Evaluator, control: Control, now_ms: int) -> Counts:
    rules = [rule for rule in control.rules.all if rule.id in due.rules]
    known = {rule.id for rule in rules}
    unknown = tuple(rule_id for rule_id in due.rules if rule_id not in known)
    counts = Counts(unknown=len(unknown)) + _evaluate_at(
        due.anchor, [rule for rule in rules if not rule.before_gap], evaluator
    )
    for rule in rules:
        if rule.before_gap:
            counts += _look(rule, due, evaluator, control.table, now_ms)
    if unknown:
        _postpone(due._replace(at_ms=now_ms + UNKNOWN_AGAIN_MS, rules=unknown, shard=None), control.table)
    return counts


def _evaluate_at(sort: str, rules: Sequence[Rule], evaluator: Evaluator) -> Counts:
    able = [rule for rule in rules if evaluator.knows_enough_for(rule)]
    counts = Counts({Verdict.NOTHING: len(rules) - len(able)})
    if not able:
        return counts
    anchor = evaluator.find(sort)
    return counts + (evaluator.evaluate(anchor, able) if anchor else Counts({Verdict.GONE: len(able)}))


def _look(rule: Rule, due: Due, evaluator: Evaluator, table: Table, now_ms: int) -> Counts:
    """Move the timer of a rule before a gap to what has followed; evaluate the rule where nothing has."""
    anchor = due.anchor
    if not is_place(anchor):
        return Counts({Verdict.GONE: 1})
    if (ends := ends_ms(rule, anchor, hold_back_ms())) > now_ms - STORED_WITHIN_MS:
        return _set_timer(due._replace(at_ms=ends, rules=(rule.id,), shard=None), table)  # the gap is longer by now
    for _ in range(MOST_MOVES):
        follower = evaluator.newest_follower(rule, anchor)
        if follower is None:
            return _evaluate_at(anchor, [rule], evaluator)
        if is_renewed(due.key, time_of(anchor), follower.event.timestamp_ms):
            return Counts(moved=1)  # to where another one was started
        (moved,) = dues_of(follower, [rule], hold_back_ms=hold_back_ms())
        if moved.at_ms > now_ms - STORED_WITHIN_MS:
            return _set_timer(moved, table)
        anchor = follower.sort
    return _set_timer(moved, table)  # it goes on from there


def _set_timer(due: Due, table: Table) -> Counts:
    table.put(due.row(table.keys), condition=UNCONDITIONAL)
    return Counts(moved=1)


def _postpone(due: Due, table: Table) -> None:
    """Keep due what this version of the service has no rule for, where it is not read each minute."""
    while True:
        row = due.row(table.keys)
        try:
            table.put(row, condition=table.absent)
        except ConditionFailed as failed:
            if failed.row != row:  # another due time of this anchor was postponed, too
                due = due._replace(at_ms=due.at_ms + 1)
                continue
        return


def _log(swept: Iterable[Swept], request_id: str, now_ms: int) -> None:
    """Write the one line of a sweep, with zeros: an alarm on what is left must not wait for data."""
    total, errors, since_ms = Counts(), set[str](), now_ms
    for one in swept:
        total += one.counts
        errors |= {one.error} if one.error else set()
        since_ms = since_ms if one.since_ms is None else min(since_ms, one.since_ms)
    counts = {name: total[name] for name in ("due", "failed", "left", "moved", "unknown", *Verdict)}
    logger().info(
        "swept",
        extra={
            "function_request_id": request_id,
            **counts,
            OLDEST: now_ms - since_ms,
            "errors": sorted(errors),
            "_aws": directive(dimension="service", counts=counts, milliseconds=[OLDEST], now_ms=now_ms),
        },
    )
