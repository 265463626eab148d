"""What has become due -> decision rows: run by a schedule, so that it also works for what has gone silent."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from patterns.dynamodb.attribute_values import Item
from patterns.rules.due import SHARDS, Due, due_by
from patterns.rules.evaluate import Control, Subject, Verdict, evaluate, give_up
from patterns.runtime import clock, strict_json
from patterns.runtime.aws import name_of
from patterns.runtime.in_parallel import in_parallel
from patterns.runtime.log import logger
from patterns.runtime.metrics import directive

SWEEP: Final = "sweep"

PAGE: Final = 100

# An event is stamped with its arrival before it is stored: a put that begins in time may end so much later.
STORED_WITHIN_MS: Final = 5_000

# Of the function's time: what is left undone is due at the next sweep, too.
MARGIN_MS: Final = 10_000

Tally = tuple[Counter[str], frozenset[str]]
"""What became of some due times, and the names of what went wrong."""


def sweep(context: Any, *, control: Control) -> None:  # noqa: ANN401  Lambda's context
    """Evaluate what is due, and take it out of the index; what fails stays there for the next time."""
    now_ms = clock.now_ms()
    counts, errors = Counter[str](), frozenset[str]()
    for page in _pages(control, now_ms):
        for counted, named in in_parallel(_tasks(control, page, now_ms)):
            counts, errors = counts + counted, errors | named
        if context.get_remaining_time_in_millis() < MARGIN_MS:
            break
    told = {name: counts[name] for name in ("due", "failed", "unknown", *Verdict)}
    logger().info(
        "swept",
        extra={
            "function_request_id": context.aws_request_id,
            **told,
            "errors": sorted(errors),
            "_aws": directive(dimension="service", counts=told, now_ms=now_ms),
        },
    )


def _pages(control: Control, now_ms: int) -> Iterator[list[Item]]:
    """Read what is due, shard by shard; each minute begins with another one, so that none is always the last."""
    table, first = control.table, now_ms // 60_000
    for shard in ((first + number) % SHARDS for number in range(SHARDS)):
        start = None
        while True:
            query = due_by(table.keys, shard, now_ms - STORED_WITHIN_MS)
            rows = table.query(query, limit=PAGE, start=start, consistent=True)
            yield rows.items
            start = rows.last_key
            if start is None:
                break


def _tasks(control: Control, page: list[Item], now_ms: int) -> list[Any]:
    """Put together what is due of one correlation key, so that its past is read once."""
    by_key: dict[str, list[Due]] = defaultdict(list)
    poison = []
    for row in page:
        try:
            due = Due.of(row)
        except Exception as error:  # noqa: BLE001  somebody else wrote into the index, and reading it is pure
            poison.append(partial(_settle_poison, control, row, error))
        else:
            by_key[due.key].append(due)
    return [*poison, *(partial(_settle, control, key, dues, now_ms) for key, dues in by_key.items())]


def _settle_poison(control: Control, row: Item, error: Exception) -> list[Tally]:
    try:
        give_up(error, control, strict_json.dumps(row), by=SWEEP)
        control.table.delete({name: row[name] for name in control.table.keys.names})
    except Exception as failure:  # noqa: BLE001  see _settle
        return [(Counter(due=1, failed=1), frozenset({name_of(failure)}))]
    return [(Counter({"due": 1, Verdict.FAULT: 1}), frozenset({name_of(error)}))]


def _settle(control: Control, key: str, dues: list[Due], now_ms: int) -> list[Tally]:
    subject, done = Subject(control, key, now_ms=now_ms), Counter[str]()
    for number, due in enumerate(dues):
        try:
            done += _evaluate(control, subject, due)
            control.table.delete(due.row_key(control.table.keys))
        except Exception as error:  # noqa: BLE001  whatever it is, other keys must not suffer; the next sweep tries it again
            failed = len(dues) - number
            return [(done + Counter(due=failed, failed=failed), frozenset({name_of(error)}))]
        done["due"] += 1
    return [(done, frozenset())]


def _evaluate(control: Control, subject: Subject, due: Due) -> Counter[str]:
    rules = [rule for rule in control.rules.all if rule.id in due.rules]
    unknown = Counter(unknown=len(due.rules) - len(rules))  # a rule that was taken away while it was due
    anchor = subject.find(due.anchor)
    if anchor is None or anchor.sort != due.anchor:
        return unknown + Counter({Verdict.GONE: len(rules)})
    return unknown + evaluate(control, subject, anchor, rules)
