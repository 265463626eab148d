"""A view, its events in the lake, and looks at it by the real handlers, in one process."""

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from andon.dynamodb.attribute_values import Item
from andon.events.drift import TYPE
from andon.packages.package import Package
from andon.recorded.archive import SHARDS
from andon.stores.lake import objects
from andon.tools.in_process.lambda_events import sqs_event
from andon.tools.in_process.loop import Loop
from tests.support.archive import keep_in_lake

Findings = list[dict[str, Any]]


def remember(lines: Iterable[str]) -> None:
    """Write lines into the lake, an object for each hour."""
    by_hour: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        by_hour[objects.partition_of(json.loads(line))].append(line)
    for some in by_hour.values():
        keep_in_lake(some)


def take_in(loop: Loop, view: Package, lines: Iterable[str]) -> None:
    """Deliver messages to a view alone."""
    bodies = [*lines]
    for start in range(0, len(bodies), 10):
        assert loop.deliver(view, bodies[start : start + 10]) == []


def look(loop: Loop, view: Package) -> Findings:
    """Look at all rows, and a second time at what is doubtful; return what was reported."""
    shards = sqs_event(json.dumps({"shard": shard}) for shard in range(SHARDS))
    assert loop.invoke(view, "recompute", shards)["batchItemFailures"] == []
    while again := loop.to_recompute(view):
        assert loop.invoke(view, "recompute", sqs_event(again))["batchItemFailures"] == []
    return reported(loop)


def reported(loop: Loop) -> Findings:
    """Take what was published; nothing but findings was."""
    events = [json.loads(body)["detail"] for body in loop.new_messages()]
    assert {event["type"] for event in events} <= {TYPE}
    return [event["drift"] for event in events]


def rows_of(loop: Loop, view: Package) -> list[Item]:
    """Return the rows of a view."""
    [table] = view.tables
    return loop.rows(table)
