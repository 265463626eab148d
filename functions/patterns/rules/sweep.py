"""What has become due -> decision rows. A schedule runs it, so that it also decides about what has gone silent."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from patterns.dynamodb.attribute_values import Item
from patterns.rules.due import SHARDS, Due, due_by
from patterns.rules.evaluate import Control, Counts, Evaluator, Verdict, publish_fault
from patterns.rules.stored_event import CorrelationKey
from patterns.runtime import clock, strict_json
from patterns.runtime.aws import name_of
from patterns.runtime.in_parallel import in_parallel
from patterns.runtime.log import logger
from patterns.runtime.metrics import directive

SWEEP: Final = "sweep"

PAGE: Final = 100

# An event is stamped with its arrival before it is stored: a put that begins in time may end so much later.
STORED_WITHIN_MS: Final = 5_000

# Of the function's time; what is left undone is due at the next sweep, too.
MARGIN_MS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Swept:
    """What became of some due times, and the name of the error, if one went wrong."""

    counts: Counts
    error: str | None = None


def sweep(context: Any, *, control: Control) -> None:  # noqa: ANN401  Lambda's context
    """Evaluate what is due and remove it from the index; what fails stays there for the next sweep."""
    now_ms = clock.now_ms()
    swept: list[Swept] = []
    for page in _pages(control, now_ms):
        swept += _sweep_page(page, control, now_ms)
        if context.get_remaining_time_in_millis() < MARGIN_MS:
            break
    _log(swept, context.aws_request_id, now_ms)


def _pages(control: Control, now_ms: int) -> Iterator[list[Item]]:
    """Read what is due, shard by shard; each minute begins with another shard, so that none is always the last."""
    table, first = control.table, now_ms // 60_000
    for shard in ((first + number) % SHARDS for number in range(SHARDS)):
        query, start = due_by(table.keys, shard, now_ms - STORED_WITHIN_MS), None
        while True:
            rows = table.query(query, limit=PAGE, start=start, consistent=True)
            yield rows.items
            start = rows.last_key
            if start is None:
                break


def _sweep_page(page: Iterable[Item], control: Control, now_ms: int) -> list[Swept]:
    """Settle the rows of a page; those of one correlation key together, so that its past is read once."""
    by_key: dict[CorrelationKey, list[Due]] = defaultdict(list)
    unreadable = []
    for row in page:
        try:
            due = Due.of(row)
        except Exception as error:  # noqa: BLE001  something else wrote into the index, and reading it is pure
            unreadable.append(partial(_remove_unreadable, row, error, control))
        else:
            by_key[due.key].append(due)
    return in_parallel([*unreadable, *(partial(_settle, key, dues, control, now_ms) for key, dues in by_key.items())])


def _remove_unreadable(row: Item, error: Exception, control: Control) -> Swept:
    try:
        publish_fault(error, control, strict_json.dumps(row), by=SWEEP)
        control.table.delete({name: row[name] for name in control.table.keys.names})
    except Exception as failure:  # noqa: BLE001  see _settle
        return Swept(Counts(due=1, failed=1), name_of(failure))
    return Swept(Counts({"due": 1, Verdict.FAULT: 1}), name_of(error))


def _settle(key: CorrelationKey, dues: Sequence[Due], control: Control, now_ms: int) -> Swept:
    """Evaluate what is due under one correlation key, in order, up to what fails."""
    evaluator, counts = Evaluator(control, key, now_ms=now_ms), Counts()
    for number, due in enumerate(dues):
        try:
            counts += _evaluate(due, evaluator, control)
            control.table.delete(due.row_key(control.table.keys))
        except Exception as error:  # noqa: BLE001  whatever it is, other keys must not suffer; the next sweep tries it again
            failed = len(dues) - number
            return Swept(counts + Counts(due=failed, failed=failed), name_of(error))
        counts["due"] += 1
    return Swept(counts)


def _evaluate(due: Due, evaluator: Evaluator, control: Control) -> Counts:
    rules = [rule for rule in control.rules.all if rule.id in due.rules]
    unknown = Counts(unknown=len(due.rules) - len(rules))  # a rule that was removed while it was due
    anchor = evaluator.find(due.anchor)
    if anchor is None:
        return unknown + Counts({Verdict.GONE: len(rules)})
    return unknown + evaluator.evaluate(anchor, rules)


def _log(swept: Iterable[Swept], request_id: str, now_ms: int) -> None:
    """Write the one line of a sweep."""
    total, errors = Counts(), set[str]()
    for one in swept:
        total += one.counts
        errors |= {one.error} if one.error else set()
    counts = {name: total[name] for name in ("due", "failed", "unknown", *Verdict)}
    logger().info(
        "swept",
        extra={
            "function_request_id": request_id,
            **counts,
            "errors": sorted(errors),
            "_aws": directive(dimension="service", counts=counts, now_ms=now_ms),
        },
    )
