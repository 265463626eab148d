"""What has become due -> decision rows. A schedule runs it, so that it also decides about what has gone silent.

A sweep goes round: it reads a page of each shard of the index and evaluates a few due times of each correlation key,
until nothing is due or time is short. So neither a shard nor a key that has much to be done delays the others.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from patterns.dynamodb.attribute_values import Item
from patterns.dynamodb.client import Table
from patterns.dynamodb.errors import ConditionFailed
from patterns.rules.due import SHARDS, Due, due_by
from patterns.rules.evaluate import Control, Counts, Evaluator, Verdict, publish_fault
from patterns.rules.micro_event_store import BEGUN_WITHIN_MS
from patterns.rules.stored_event import CorrelationKey
from patterns.runtime import clock, strict_json
from patterns.runtime.aws import name_of
from patterns.runtime.deadline import ATTEMPT_MS, in_time
from patterns.runtime.errors import CallFailed
from patterns.runtime.in_parallel import in_parallel
from patterns.runtime.log import logger
from patterns.runtime.metrics import directive

SWEEP: Final = "sweep"

# Rows of a shard that are read at a time.
PAGE: Final = 500

# Due times of a key that are evaluated before it is the turn of the others, and in a sweep.
IN_TURN: Final = 25
MOST_OF_KEY: Final = 500

# Lambda's clocks may differ by so much.
CLOCKS_MS: Final = 1_000

# An event is stamped with its arrival before it is stored: a put that begins in time may end so much later.
STORED_WITHIN_MS: Final = BEGUN_WITHIN_MS + ATTEMPT_MS + CLOCKS_MS

# Of the function's time; what is left undone is due at the next sweep, too.
MARGIN_MS: Final = 10_000

# When a rule that nobody knows is asked for again: it comes back with the next deployment, or with a roll-back.
UNKNOWN_AGAIN_MS: Final = 5 * 60_000


class Swept(NamedTuple):
    """What became of some due times, and the name of the error, if one went wrong."""

    counts: Counts
    error: str | None = None


class _Shard:
    """A shard of the index, of which more can be read behind `start`."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.start: Item | None = None
        self.has_more = True

    def read_on(self, table: Table, at_ms: int) -> list[Item]:
        """Read the next page of what is due."""
        query = due_by(table.keys, self.number, at_ms)
        rows = table.query(query, limit=PAGE, start=self.start, consistent=True)
        self.start, self.has_more = rows.last_key, rows.last_key is not None
        return rows.items


class _Queues:
    """What waits of each correlation key, in the order of time. taken: how much of it this sweep has accepted."""

    def __init__(self) -> None:
        self.waiting: dict[CorrelationKey, deque[Due]] = {}
        self.taken: Counter[CorrelationKey] = Counter()
        self.left = 0

    def add(self, due: Due) -> None:
        """Accept what is due, unless its key has had its share: the rest is due at the next sweep, too."""
        self.taken[due.key] += 1
        if self.taken[due.key] <= MOST_OF_KEY:
            self.waiting.setdefault(due.key, deque()).append(due)
        else:
            self.left += 1

    def take_turns(self) -> Iterator[tuple[CorrelationKey, list[Due]]]:
        """Take the next few of each key."""
        for key, queue in [*self.waiting.items()]:
            yield key, [queue.popleft() for _ in range(min(IN_TURN, len(queue)))]
            if not queue:
                del self.waiting[key]

    def drop(self, key: CorrelationKey) -> int:
        """Leave what waits of a key, and all that is still to be read of it, to the next sweep; return how much."""
        self.taken[key] = MOST_OF_KEY
        return len(self.waiting.pop(key, ()))


@in_time
def sweep(context: Any, *, control: Control) -> None:  # noqa: ANN401  Lambda's context
    """Evaluate what is due and remove it from the index; what fails stays there for the next sweep."""
    now_ms, queues, swept = clock.now_ms(), _Queues(), list[Swept]()
    is_time_left = partial(_is_time_left, context)
    shards = _shards(now_ms)
    while is_time_left() and (queues.waiting or any(shard.has_more for shard in shards)):
        for shard in shards:
            swept += _read(shard, queues, control, now_ms)
        swept += _take_turns(queues, control, now_ms, is_time_left)
    left = queues.left + sum(map(len, queues.waiting.values()))
    _log([*swept, Swept(Counts(left=left))], context.aws_request_id, now_ms)


def _is_time_left(context: Any) -> bool:  # noqa: ANN401  Lambda's context
    return bool(context.get_remaining_time_in_millis() >= MARGIN_MS)


def _shards(now_ms: int) -> list[_Shard]:
    """Return all shards; each minute begins with another one, so that none is always the last."""
    first = now_ms // 60_000
    return [_Shard((first + number) % SHARDS) for number in range(SHARDS)]


def _read(shard: _Shard, queues: _Queues, control: Control, now_ms: int) -> list[Swept]:
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


def _take_turns(queues: _Queues, control: Control, now_ms: int, is_time_left: Callable[[], bool]) -> Iterator[Swept]:
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
            return key, Swept(counts + Counts(left=len(dues) - number))
        try:
            counts += _evaluate(due, evaluator, control, now_ms)
            control.table.delete(due.row_key(control.table.keys))
        except Exception as error:  # noqa: BLE001  whatever it is, other keys must not suffer; the next sweep tries it again
            failed = len(dues) - number
            return key, Swept(counts + Counts(due=failed, failed=failed), name_of(error))
        counts["due"] += 1
    return key, Swept(counts)


def _evaluate(due: Due, evaluator: Evaluator, control: Control, now_ms: int) -> Counts:
    rules = [rule for rule in control.rules.all if rule.id in due.rules]
    known = {rule.id for rule in rules}
    unknown = tuple(rule_id for rule_id in due.rules if rule_id not in known)
    counts = Counts(unknown=len(unknown))
    if rules:
        anchor = evaluator.find(due.anchor)
        counts += evaluator.evaluate(anchor, rules) if anchor else Counts({Verdict.GONE: len(rules)})
    if unknown:
        _postpone(due._replace(at_ms=now_ms + UNKNOWN_AGAIN_MS, rules=unknown), control.table)
    return counts


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
    """Write the one line of a sweep."""
    total, errors = Counts(), set[str]()
    for one in swept:
        total += one.counts
        errors |= {one.error} if one.error else set()
    counts = {name: total[name] for name in ("due", "failed", "left", "unknown", *Verdict)}
    logger().info(
        "swept",
        extra={
            "function_request_id": request_id,
            **counts,
            "errors": sorted(errors),
            "_aws": directive(dimension="service", counts=counts, now_ms=now_ms),
        },
    )
