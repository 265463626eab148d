"""Past events -> what drifted in a view: its rows are worked out a second time, reported and repaired.

A schedule asks for some partitions, a message for a shard of all, or for a second look at doubts. A view
that is recomputed has the partition key of its events (`partitionKey`), by which the past is kept.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol, TypedDict

from andon.drift.compare import LATEST_DAYS, Basis, DriftKind, RowDrift
from andon.drift.expected import ExpectedRow, Key, expected_rows
from andon.drift.look import event_of, look_at
from andon.drift.repair import repair
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.key_query import KeyQuery
from andon.events.publish import publish
from andon.runtime import clock, strict_json
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.runtime.message_batch import BatchResponse, retry
from andon.runtime.metrics import with_metrics
from andon.runtime.tried import Failed, tried
from andon.views.materialize import Listener
from andon.views.object_table import ObjectTable
from andon.wire.aws import name_of
from andon.wire.deadline import in_time
from andon.wire.queue import DelayedMessage, send_later

# An event is in the past within the hour. A run before which none is new looks at nothing, but for one in a day.
NEW_WITHIN_MS: Final = 2 * clock.HOUR_MS

SECOND_LOOK_SECONDS: Final = 15 * 60  # the most that SQS delays a message
ROWS_AT_ONCE: Final = 1000
DOUBTS_IN_A_MESSAGE: Final = 1000

COUNTS: Final = ("partitions", "rows", "drift", *(kind.value for kind in DriftKind), "repaired", "doubtful", "failed")
TROUBLES: Final = ("drift", "failed")
"""The metrics of a comparison."""


class RecomputeWork(TypedDict, total=False):
    """The work of a message: all of a shard, or another look at doubts (their digests, by partition); else a sample."""

    shard: int
    again: dict[str, list[str]]


class Recomputed(BatchResponse):
    """The response to a batch, and the counts for who calls by hand."""

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
    """Name of a view's environment variable with the address of its queue for what is to be recomputed."""
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
    elif not _is_tick(event) or now_ms % clock.DAY_MS < clock.HOUR_MS or past.has_since(now_ms - NEW_WITHIN_MS):
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
            look = look_at(rows, expected, self._basis, key_names=key_names, doubted=before)
            counts.update(partitions=1, rows=len(rows), doubtful=len(look.doubts))
            counts.update(self._settle(look.drifts))
            if look.doubts:
                doubts[partition] = look.doubts[:DOUBTS_IN_A_MESSAGE]
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
            rows = table.query(query, limit=ROWS_AT_ONCE, start=start, consistent=True)
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
        send_later(url, (DelayedMessage(body, SECOND_LOOK_SECONDS) for body in bodies))
