"""Due rows -> decisions. A schedule runs it, so that it also decides about things that have gone silent.

One way: due rows (`Queues`) -> plan (`plan.py`) -> evaluate, decide, write (`evaluate.py`). A sweep goes round: it
reads on in each of its shards of the index, past what it will not do, and settles a few due rows of each correlation
key, until nothing is due or time is short. So neither a shard nor a key that has much to be done delays the others. On
AWS several invocations share the shards.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys
from andon.rules.evaluate import Evaluator, RowKey, publish_fault, set_aside, settle_due, write_decisions
from andon.rules.micro_event_store import STORED_WITHIN_MS, hold_back_ms
from andon.rules.plan import plan_due
from andon.rules.rule import Control, Counts, Verdict
from andon.rules.stored_event import CorrelationKey
from andon.rules.timing import READ_SHARDS, Due, SweepTime, due_by, due_from
from andon.runtime import clock, strict_json
from andon.runtime.errors import CallFailed
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger, with_metrics
from andon.runtime.tried import Failed, tried
from andon.wire.aws import name_of
from andon.wire.deadline import in_time
from andon.wire.in_parallel import in_parallel

# The due rows before a sweep: the shards of the index that it reads, and the queue of each correlation key.


# Rows of a shard that are read at a time.
PAGE: Final = 500

# Due rows of a key that are done before it is the turn of the others, and in a sweep.
IN_TURN: Final = 25
MOST_OF_KEY: Final = 500


class _Shard:
    """A shard of the index, of which more can be read behind `start`."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.start: Item | None = None
        self.has_more = True

    def read_on(self, table: Table, at_ms: int) -> list[Item]:
        """Read the next page of the rows that are due at a time."""
        query = due_by(table.keys, self.number, at_ms)
        rows = table.query(query, limit=PAGE, start=self.start, consistent=True)
        self.start, self.has_more = rows.last_key, rows.last_key is not None
        return rows.items

    def since_ms(self, table: Table) -> int | None:
        """Return since when a row that was not read may have been due; None: all were read, or none."""
        return due_from(table.keys, self.start) if self.has_more and self.start else None


class Queues:
    """The due rows that wait, by correlation key, in the order of time.

    taken: how many of a key this sweep has met, and accepted: how many of all it has accepted. left: how many it has
    not, and since_ms: since when those are due.
    """

    def __init__(self) -> None:
        self.waiting: dict[CorrelationKey, deque[Due]] = {}
        self.taken: Counter[CorrelationKey] = Counter()
        self.accepted = self.left = 0
        self.since_ms: int | None = None

    def add_rows(self, rows: Iterable[Item], keys: Keys) -> list[tuple[Item, Exception]]:
        """Accept rows of the index; return those that nobody can read, each with the reason."""
        unreadable = []
        for row in rows:
            due = tried(Due.of, row, keys)  # others may write into the index
            if isinstance(due, Failed):
                unreadable.append((row, due.error))
            else:
                self.add(due)
        return unreadable

    def add(self, due: Due) -> None:
        """Accept a due row, unless its key has had its share: the rest is due at the next sweep, too."""
        self.taken[due.key] += 1
        if self.taken[due.key] <= MOST_OF_KEY:
            self.waiting.setdefault(due.key, deque()).append(due)
            self.accepted += 1
        else:
            self.left += 1
            self.since_ms = due.at_ms if self.since_ms is None else min(self.since_ms, due.at_ms)

    def take_turns(self) -> Iterator[tuple[CorrelationKey, list[Due]]]:
        """Take the next few of each key."""
        for key, queue in [*self.waiting.items()]:
            yield key, [queue.popleft() for _ in range(min(IN_TURN, len(queue)))]
            if not queue:
                del self.waiting[key]

    def put_back(self, key: CorrelationKey, dues: Sequence[Due]) -> None:
        """Accept rows again that were taken, in front of the others of their key."""
        self.waiting.setdefault(key, deque()).extendleft(reversed(dues))

    def drop(self, key: CorrelationKey) -> int:
        """Leave the waiting rows of a key, and all that are still to be read, to the next sweep; return how many."""
        self.taken[key] = MOST_OF_KEY
        return len(self.waiting.pop(key, ()))

    def leave(self) -> None:
        """Leave all waiting rows to the next sweep."""
        for queue in self.waiting.values():
            for due in queue:
                self.taken[due.key] = MOST_OF_KEY
                self.add(due)
        self.waiting.clear()


SWEEP: Final = "sweep"

EVERY_SECONDS: Final = 60
"""Period of the schedule that calls the sweeps, in whole minutes."""

# How long the oldest has been due of those rows that a sweep did not do, in milliseconds.
OLDEST: Final = "oldest"

TROUBLES: Final = ("failed", "unknown", OLDEST)
"""The metrics of a sweep."""

# Of the function's time; rows that are left undone are due at the next sweep, too.
MARGIN_MS: Final = 10_000

# The member of a schedule's input that lists the shards to be swept.
SHARDS: Final = "shards"

ALL_SHARDS: Final = range(READ_SHARDS)


class _Swept(NamedTuple):
    """The counts of some due rows, and the name of the error, if one went wrong.

    since_ms: since when the oldest of those that were not done has been due; None: all are done. waiting: those that
    have another turn.
    """

    counts: Counts
    error: str | None = None
    since_ms: int | None = None
    waiting: Sequence[Due] = ()


def shards_in(event: Mapping[str, Iterable[int | str]]) -> Sequence[int]:
    """Return the shards to be swept: those that the schedule's input lists, or all."""
    return [int(shard) for shard in event[SHARDS]] if SHARDS in event else ALL_SHARDS


@in_time
def sweep(context: LambdaContext, *, control: Control, shards: Sequence[int] = ALL_SHARDS) -> None:
    """Do all that is due and delete its rows; rows that fail stay there for the next sweep."""
    now_ms, queues, swept = clock.now_ms(), Queues(), list[_Swept]()
    is_time_left = partial(_is_time_left, context)
    unread = _in_turn(shards, now_ms)
    while is_time_left() and (queues.waiting or any(shard.has_more for shard in unread)):
        for shard in unread:
            swept += _read(shard, queues, control, now_ms, is_time_left)
        swept += _take_turns(queues, control, now_ms, is_time_left)
    swept += _left_of(queues, unread, control)
    _log(swept, context.aws_request_id, now_ms)


def _is_time_left(context: LambdaContext) -> bool:
    return context.get_remaining_time_in_millis() >= MARGIN_MS


def _in_turn(shards: Sequence[int], now_ms: int) -> list[_Shard]:
    """Return the shards; each sweep begins with another one, so that none is always the last."""
    first = now_ms // (EVERY_SECONDS * 1000)
    return [_Shard(one) for one in sorted(shards, key=lambda shard: (shard - first) % READ_SHARDS)]


def _read(
    shard: _Shard, queues: Queues, control: Control, now_ms: int, is_time_left: Callable[[], bool]
) -> Iterator[_Swept]:
    """Read pages of a shard into the queues, past refused rows; make faults of unreadable ones."""
    accepted, is_going_on = queues.accepted, shard.has_more
    while is_going_on:
        try:
            rows = shard.read_on(control.table, now_ms - STORED_WITHIN_MS)
        except CallFailed as failure:  # the other shards must not suffer
            shard.has_more = False
            yield _Swept(Counts(failed=1), name_of(failure))
            return
        unreadable = queues.add_rows(rows, control.table.keys)
        yield from in_parallel([partial(_remove_unreadable, row, error, control) for row, error in unreadable])
        is_going_on = queues.accepted == accepted and shard.has_more and is_time_left()


def _remove_unreadable(row: Item, error: Exception, control: Control) -> _Swept:
    done = tried(_delete_unreadable, row, error, control)
    if isinstance(done, Failed):
        return _Swept(Counts(due=1, failed=1), name_of(done.error))
    return _Swept(Counts({"due": 1, Verdict.FAULT: 1}), name_of(error))


def _delete_unreadable(row: Item, error: Exception, control: Control) -> None:
    publish_fault(error, control, strict_json.dumps(row), by=SWEEP)
    control.table.delete({name: row[name] for name in control.table.keys.names})


def _take_turns(queues: Queues, control: Control, now_ms: int, is_time_left: Callable[[], bool]) -> Iterator[_Swept]:
    """Do the next few due rows of each key; those behind one that fails are left to the next sweep."""
    turns = [*queues.take_turns()]
    tasks = [partial(_do_key, key, dues, control, now_ms, is_time_left) for key, dues in turns]
    for (key, _), done in zip(turns, in_parallel(tasks), strict=True):
        yield done
        if done.waiting:
            queues.put_back(key, done.waiting)
        if done.error is not None:
            behind = queues.drop(key)
            yield _Swept(Counts(due=behind, failed=behind))


def _do_key(
    key: CorrelationKey, dues: Sequence[Due], control: Control, now_ms: int, is_time_left: Callable[[], bool]
) -> _Swept:
    """Do the due rows of one correlation key, in order, up to one that fails, or until it has had its share."""
    evaluator, counts = Evaluator(control, key, anchors=[due.anchor for due in dues], now_ms=now_ms), Counts()
    standing = set[RowKey]()
    for number, due in enumerate(dues):
        if not is_time_left():
            return _Swept(counts + Counts(left=len(dues) - number), since_ms=due.at_ms)
        if evaluator.is_spent:
            return _Swept(counts, waiting=dues[number:])
        done = tried(_do, due, evaluator, standing, now_ms, counts)
        if isinstance(done, Failed):
            failed = len(dues) - number
            return _Swept(counts + Counts(due=failed, failed=failed), name_of(done.error), due.at_ms)
    return _Swept(counts)


def _do(due: Due, evaluator: Evaluator, standing: set[RowKey], now_ms: int, counts: Counts) -> None:
    """Do one due row: plan, evaluate and decide, write; count each write that succeeds."""
    control = evaluator.control
    time = SweepTime(settled_ms=now_ms - STORED_WITHIN_MS, hold_back_ms=hold_back_ms())
    plan = plan_due(due, control.rules, evaluator.past, time=time, now_ms=now_ms)
    evaluations = [evaluator.evaluate_stored(anchor, rule) for anchor, rule in plan.evaluations]
    set_aside(evaluator.past.take_unreadable(), control, now_ms=now_ms)
    counts.update(write_decisions(evaluations, control, standing))
    counts.update(settle_due(due, plan, control))


def _left_of(queues: Queues, shards: Iterable[_Shard], control: Control) -> Iterator[_Swept]:
    """Return the rows that this sweep did not get to; of a shard that was not read to its end, at least one."""
    queues.leave()
    yield _Swept(Counts(left=queues.left), since_ms=queues.since_ms)
    for shard in shards:
        if shard.has_more:
            yield _Swept(Counts(left=1), since_ms=shard.since_ms(control.table))


def _log(swept: Iterable[_Swept], request_id: str, now_ms: int) -> None:
    """Write the one line of a sweep, with zeros: it says that nothing was due."""
    total, errors, since_ms = Counts(), set[str](), now_ms
    for one in swept:
        total += one.counts
        errors |= {one.error} if one.error else set()
        since_ms = since_ms if one.since_ms is None else min(since_ms, one.since_ms)
    counts = {name: total[name] for name in ("due", "failed", "left", "moved", "unknown", *Verdict)}
    line = {"function_request_id": request_id, **counts, OLDEST: now_ms - since_ms, "errors": sorted(errors)}
    logger().info("swept", extra=with_metrics(line, TROUBLES, dimension="service", now_ms=now_ms))
