"""Past events -> drift of a view: its rows are projected a second time, reported and repaired.

A schedule asks for some partitions, a message for a shard of all, or for a second look at doubts. A view
that is recomputed has the partition key of its events (`partitionKey`), by which the past is kept.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol, TypedDict

from andon.drift.compare import (
    DOUBTFUL,
    LATEST_DAYS,
    Basis,
    Difference,
    DriftKind,
    ExpectedRow,
    Key,
    Newest,
    RowDrift,
    compare,
    expected_rows,
    key_of,
)
from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.client import ConditionFailed
from andon.dynamodb.expressions import Condition
from andon.dynamodb.schema import KeyQuery
from andon.events.bus_entry import Replay
from andon.events.domain_event import DomainEvent
from andon.events.drift import Repair, drift_of
from andon.events.identifiers import of_content
from andon.events.publish import publish
from andon.runtime import clock, strict_json
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger, with_metrics
from andon.runtime.message_batch import BatchResponse, retry
from andon.runtime.tried import Failed, tried
from andon.views.materialize import Listener
from andon.views.object_table import ObjectTable
from andon.views.oplocked_fields import OPLOCK, RowStore
from andon.views.outcome import Outcome
from andon.views.view_update import oplock_attribute
from andon.wire.aws import name_of
from andon.wire.deadline import in_time
from andon.wire.queue import DelayedMessage, send_later

# The rows of a partition beside those that events make: drifts, and doubts for a second look. Pure.

DIGITS = 32


class Look(NamedTuple):
    """The findings. doubts: the digests of differences that count if they are there a second time."""

    drifts: list[RowDrift]
    doubts: list[str]


def _look_at(
    rows: Iterable[Item],
    expected: Mapping[Key, ExpectedRow],
    basis: Basis,
    *,
    key_names: tuple[str, ...],
    doubted: frozenset[str],
) -> Look:
    """Compare the rows of a partition with those expected in it. doubted: the doubts of the look before."""
    found = {key_of({name: row[name] for name in key_names}): row for row in rows}
    look = Look([], [])
    for key in sorted({*expected, *found}):
        drift = compare(expected.get(key) or ExpectedRow(dict(key)), found.get(key), basis)
        if drift is None:
            continue
        doubts = {one: _doubt(drift, one) for one in range(len(drift.differences))}
        new = {number for number, doubt in doubts.items() if doubt and doubt not in doubted}
        look.doubts.extend(doubt for number, doubt in doubts.items() if doubt and number in new)
        if certain := drift.only(one for number, one in enumerate(drift.differences) if number not in new):
            look.drifts.append(certain)
    return look


def event_of(drift: RowDrift, *, view: str, now_ms: int) -> DomainEvent:
    """Return the event that reports a drift."""
    return drift_of(
        view,
        drift.key,
        kinds=sorted({one.kind.value for one in drift.differences}),
        found=_of_all(drift, "found"),
        expected=_of_all(drift, "expected"),
        repair=_repair_of({one.kind for one in drift.differences}),
        now_ms=now_ms,
    )


def _doubt(drift: RowDrift, number: int) -> str | None:
    """Return the digest of a doubtful difference, the same as long as nobody writes anything; None of a certain one."""
    one: Difference = drift.differences[number]
    if one.kind not in DOUBTFUL:
        return None
    return of_content([dict(drift.key), one.kind, one.oplock, dict(one.found), dict(one.expected)], digits=DIGITS)


def _of_all(drift: RowDrift, side: str) -> Item:
    return {name: value for one in drift.differences for name, value in getattr(one, side).items()}


def _repair_of(kinds: set[DriftKind]) -> Repair:
    if kinds & {DriftKind.AHEAD, DriftKind.TTL}:
        return "compare-and-set"
    return "oplock" if kinds & {DriftKind.VALUES, DriftKind.MISSING} else "none"


# Differences of a row -> writes that end them. None of them overwrites a later write.
#
# What should be on the row is written through its oplock. An order that lies ahead would refuse it, and a ttl has no
# oplock: those are written over if they are still what was found. If not, somebody else wrote the row; a later run
# looks.

REPAIR: Final = "repair"

NOT_NEWER: Final = "#oplock <= :oplock"
_STILL: Final = "#found = :found"
_STILL_NONE: Final = "attribute_not_exists(#found) AND attribute_exists(#key)"


def repair(table: RowStore, drift: RowDrift, *, ttl_days: int | None, now_ms: int) -> bool:
    """End the differences of a row, each by itself; return True if all were ended.

    Raises:
        CallFailed: a write failed; the others may be written. Repeat it.

    """
    if drift.is_of_nothing:
        return _delete(table, drift)
    ended = [_end(table, drift.key, one, ttl_days=ttl_days, now_ms=now_ms) for one in drift.differences]
    return all(ended)


def _end(table: RowStore, key: Attributes, one: Difference, *, ttl_days: int | None, now_ms: int) -> bool:
    match one.kind, one.newest:
        case DriftKind.VALUES, Newest() as newest:
            return _write(table, key, one, _through_oplock(newest))
        case DriftKind.AHEAD, _:
            return _write(table, key, one, _still(oplock_attribute(one.oplock), one, table))
        case DriftKind.TTL, _:
            return _write(table, key, one, _still(ttl.ATTRIBUTE, one, table))
        case DriftKind.MISSING, Newest() as newest:
            replay = _replay_of(newest, ttl_days, now_ms)
            outcome = newest.update.write(table, newest.event, ttl_days=ttl_days, now_ms=now_ms, replay=replay)
            return outcome is not Outcome.EXPIRED
    return False  # nothing is known that could be written


def _replay_of(newest: Newest, ttl_days: int | None, now_ms: int) -> Replay | None:
    """Return the mark of a repair, if the event would expire on arrival while its row lives until a later date."""
    if newest.update.expires_at is None or ttl_days is None:
        return None
    is_expired = ttl.is_expired(ttl.ttl_at(newest.event.timestamp_ms, ttl_days), now_ms)
    return Replay(REPAIR) if is_expired else None


def _write(table: RowStore, key: Attributes, one: Difference, condition: Condition) -> bool:
    """Write the expected values of the attributes that differ; return True if the condition held."""
    assign = {name: value for name, value in one.expected.items() if value is not None}
    remove = tuple(name for name, value in one.expected.items() if value is None)
    try:
        table.update(key, assign=assign, remove=remove, condition=condition)
    except ConditionFailed:
        return False
    return True


def _through_oplock(newest: Newest) -> Condition:
    names = {"oplock": oplock_attribute(newest.update.oplock)}
    return Condition(NOT_NEWER, names, {"oplock": newest.order.text})


def _still(name: str, one: Difference, table: RowStore) -> Condition:
    value = one.found[name]
    if value is None:
        return Condition(_STILL_NONE, {"found": name, "key": table.keys.partition})
    return Condition(_STILL, {"found": name}, {"found": value})


def _delete(table: RowStore, drift: RowDrift) -> bool:
    """Delete a row if it has still the orders that were found."""
    orders = [
        (name, value) for one in drift.differences for name, value in one.found.items() if name.startswith(OPLOCK)
    ]
    condition = Condition(
        " AND ".join(f"#o{number} = :o{number}" for number, _ in enumerate(orders)),
        {f"o{number}": name for number, (name, _) in enumerate(orders)},
        {f"o{number}": value for number, (_, value) in enumerate(orders)},
    )
    try:
        table.delete(drift.key, condition=condition)
    except ConditionFailed:
        return False
    return True


# An event is in the past within the hour. A run before which none is new looks at nothing, but for one in a day.
_NEW_WITHIN_MS: Final = 2 * clock.HOUR_MS

_SECOND_LOOK_SECONDS: Final = 15 * 60  # the most that SQS delays a message
_ROWS_AT_ONCE: Final = 1000
_DOUBTS_IN_A_MESSAGE: Final = 1000

COUNTS: Final = ("partitions", "rows", "drift", *(kind.value for kind in DriftKind), "repaired", "doubtful", "failed")
TROUBLES: Final = ("drift", "failed")
"""The metrics of a comparison."""


class RecomputeWork(TypedDict, total=False):
    """The work of a message: all of a shard, or another look at doubts (their digests, by partition); else a sample."""

    shard: int
    again: dict[str, list[str]]


class Recomputed(BatchResponse):
    """The response to a batch, and the counts for a call by hand."""

    counts: dict[str, int]


class PastEvents(Protocol):
    """The events of before: envelopes, as lines, by the partition key of their events."""

    def has_since(self, since_ms: int) -> bool:
        """Return True if there is an event since a time, or since the beginning of its hour."""

    def sample(self, from_ms: int) -> list[str]:
        """Return some partitions."""

    def of_partitions(self, partitions: Sequence[str], from_ms: int, *, with_late: bool) -> Iterator[tuple[str, str]]:
        """Return the events of some partitions that came since a time: `(partition, line)`.

        with_late: also those that came so late that the past is still being put in order.
        """

    def of_shard(self, shard: int, from_ms: int) -> Iterator[tuple[str, str]]:
        """Return the events of all partitions of a shard that came since a time."""

    def begins_ms(self) -> int | None:
        """Return the beginning of the day of the first event; None if there is none."""


def queue_variable(view: str) -> str:
    """Name of a view's environment variable with the address of its recomputation queue."""
    return f"{view.upper()}_RECOMPUTE_QUEUE_URL"


@in_time
def recompute(event: JsonMapping, context: LambdaContext, *, listener: Listener, past: PastEvents) -> Recomputed:
    """Handle a tick of the clock, a call by hand or a batch; return the messages to try again, and the counts."""
    counts, again = Counter(dict.fromkeys(COUNTS, 0)), list[str]()
    for message_id, work in _asked(event, past, clock.now_ms()):
        done = tried(_Run(listener, past, clock.now_ms()).do, work)
        if isinstance(done, Failed):
            counts.update({"failed": 1, f"failed.{name_of(done.error)}": 1})
            again.append(message_id)
        else:
            counts.update(done)
    line = {"function_request_id": context.aws_request_id, "view": listener.name, **counts}
    logger().info("recomputed", extra=with_metrics(line, TROUBLES, dimension="view", now_ms=clock.now_ms()))
    return {**retry(again), "counts": dict(counts)}


def _asked(event: JsonMapping, past: PastEvents, now_ms: int) -> Iterator[tuple[str, RecomputeWork]]:
    """Return the work of each message. A call by hand is work itself; a schedule's event asks for a sample."""
    if "Records" in event:
        yield from ((record["messageId"], json.loads(record["body"])) for record in event["Records"])
    elif not _is_tick(event) or now_ms % clock.DAY_MS < clock.HOUR_MS or past.has_since(now_ms - _NEW_WITHIN_MS):
        yield "", {"shard": event["shard"]} if "shard" in event else {}


def _is_tick(event: JsonMapping) -> bool:
    """Return True of a schedule's event, as EventBridge writes it."""
    return event.get("detail-type") == "Scheduled Event"


class _Run:
    """One look at some partitions of a view."""

    def __init__(self, listener: Listener, past: PastEvents, now_ms: int) -> None:
        self._listener, self._past, self._now_ms = listener, past, now_ms
        longest = None if listener.ttl_days is None else max(listener.ttl_days, listener.expires_within_days or 0)
        self._from_ms = 0 if longest is None else now_ms - (longest + LATEST_DAYS) * clock.DAY_MS
        begins_ms = past.begins_ms()
        known_from_ms = max(self._from_ms, now_ms if begins_ms is None else begins_ms)
        self._basis = Basis(listener.ttl_days, now_ms, known_from_ms, restores=bool(listener.restores))

    def do(self, work: RecomputeWork) -> Counter[str]:
        """Compare, publish drifts and repair them; ask for a second look at doubts."""
        counts, doubts, doubted = Counter[str](), dict[str, list[str]](), work.get("again", {})
        key_names = self._listener.table.keys.names
        for partition, expected in self._expected(work).items():
            rows, before = [*self._rows(partition, expected)], frozenset(doubted.get(partition, ()))
            look = _look_at(rows, expected, self._basis, key_names=key_names, doubted=before)
            counts.update(partitions=1, rows=len(rows), doubtful=len(look.doubts))
            counts.update(self._settle(look.drifts))
            if look.doubts:
                doubts[partition] = look.doubts[:_DOUBTS_IN_A_MESSAGE]
        self._look_again(doubts)
        return counts

    def _expected(self, work: RecomputeWork) -> dict[str, dict[Key, ExpectedRow]]:
        """Return the rows that events make, by partition."""
        partitions: dict[str, dict[Key, ExpectedRow]] = {}

        def lines() -> Iterator[str]:
            for partition, line in self._lines(work):
                partitions.setdefault(partition, {})
                yield line

        on, upcasters = self._listener.on, self._listener.upcasters
        rows = expected_rows(lines(), on=on, upcasters=upcasters, now_ms=self._now_ms)
        for key, row in rows.items():
            partitions.setdefault(row.key[self._listener.table.keys.partition], {})[key] = row
        return partitions

    def _lines(self, work: RecomputeWork) -> Iterator[tuple[str, str]]:
        if "shard" in work:
            return self._past.of_shard(work["shard"], self._from_ms)
        again = work.get("again")
        partitions = self._past.sample(self._from_ms) if again is None else [*again]
        return self._past.of_partitions(partitions, self._from_ms, with_late=again is not None)

    def _rows(self, partition: str, expected: Mapping[Key, ExpectedRow]) -> Iterator[Item]:
        """Yield the rows of a partition: of objects those that lie where events say that they are, or were."""
        table = self._listener.table
        if isinstance(table, ObjectTable):
            yield from table.rows_about(partition, (row.key for row in expected.values()))
            return
        query, start = KeyQuery(keys=table.keys, partition=partition), None
        while True:
            rows = table.query(query, limit=_ROWS_AT_ONCE, start=start, consistent=True)
            yield from rows.items
            if (start := rows.last_key) is None:
                return

    def _settle(self, drifts: Sequence[RowDrift]) -> Counter[str]:
        """Publish first: if that fails, the next attempt finds the same rows and gives their events the same ids."""
        name, now_ms = self._listener.name, self._now_ms
        if drifts:
            publish([event_of(drift, view=name, now_ms=now_ms) for drift in drifts], source=name)
        counts = Counter(drift=len(drifts))
        for drift in drifts:
            counts.update({one.kind.value for one in drift.differences})
            counts["repaired"] += repair(self._listener.table, drift, ttl_days=self._listener.ttl_days, now_ms=now_ms)
        return counts

    def _look_again(self, doubts: Mapping[str, list[str]]) -> None:
        url = os.environ[queue_variable(self._listener.name)] if doubts else ""
        bodies = (strict_json.dumps(RecomputeWork(again={partition: some})) for partition, some in doubts.items())
        send_later(url, (DelayedMessage(body, _SECOND_LOOK_SECONDS) for body in bodies))
