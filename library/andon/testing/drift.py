"""A view, its events in the lake, and looks at it by the real handlers, in one process."""

import json
from collections import defaultdict
from collections.abc import Iterable

from andon.dynamodb.attribute_values import Item, to_typed
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.events.drift import TYPE
from andon.packages.package import Package
from andon.recorded.archive import SHARDS
from andon.runtime.json_types import JsonObject
from andon.stores.archive.store import LAKE
from andon.stores.lake.batch import key_of, partition_of, to_object
from andon.testing.lambda_events import sqs_event
from andon.testing.loop import Loop
from andon.wire.bucket import Bucket

Findings = list[JsonObject]


def keep_in_lake(lines: Iterable[str]) -> str:
    """Write one object of lines of one hour into the lake; return its key."""
    lines = list(lines)
    key = key_of(json.loads(line) for line in lines)
    Bucket(LAKE).replace(key, to_object(lines))
    return key


def remember(lines: Iterable[str]) -> None:
    """Write lines into the lake, an object for each hour."""
    by_hour: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        by_hour[partition_of(json.loads(line))].append(line)
    for some in by_hour.values():
        keep_in_lake(some)


def take_in(loop: Loop, view: Package, lines: Iterable[str]) -> None:
    """Deliver messages to a view alone."""
    bodies = [*lines]
    for start in range(0, len(bodies), 10):
        if loop.deliver(view, bodies[start : start + 10]):
            raise AssertionError("messages were given back")


def look(loop: Loop, view: Package) -> Findings:
    """Look at all rows, and again at doubtful ones; return the findings."""
    shards = sqs_event(json.dumps({"shard": shard}) for shard in range(SHARDS))
    _recompute(loop, view, shards)
    while again := loop.to_recompute(view):
        _recompute(loop, view, sqs_event(again))
    return reported(loop)


def _recompute(loop: Loop, view: Package, batch: JsonObject) -> None:
    if loop.invoke(view, "recompute", batch)["batchItemFailures"]:
        raise AssertionError("messages were given back")


def reported(loop: Loop) -> Findings:
    """Take the published events; all of them are findings."""
    events = [json.loads(body)["detail"] for body in loop.new_messages()]
    if {event["type"] for event in events} - {TYPE}:
        raise AssertionError("something else was published")
    return [event["drift"] for event in events]


def rows_of(loop: Loop, view: Package) -> list[Item]:
    """Return the rows of a view."""
    if (objects := view.objects) is None:
        [table] = view.tables
        return loop.rows(table)
    return [row for group in objects.groups() for row in objects.read(group)]


def clear_rows(loop: Loop, view: Package) -> None:
    """Delete all rows of a view."""
    for table in view.tables:
        loop.tables[table].clear()
    for bucket in view.buckets:
        loop.store[loop.buckets[bucket]].bodies.clear()


def forge(loop: Loop, view: Package, row: Item) -> None:
    """Put a row into a view as no event made it."""
    if (objects := view.objects) is None:
        [table] = view.tables
        loop.tables[table].write("Put", {"Item": to_typed(row)})
        return
    key = {name: row[name] for name in objects.keys.names}
    objects.update(key, assign={name: row[name] for name in row if name not in key}, condition=UNCONDITIONAL)
