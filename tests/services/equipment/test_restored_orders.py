"""A report that expired comes back from replayed events: the same row, whatever happens in which order."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from andon.dynamodb.ttl import ttl_at
from andon.events.bus_entry import Replay, to_message, to_replayed
from andon.events.change_data_capture import events_of
from andon.packages.package import Package
from andon.runtime import clock, times
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.lambda_events import http_event, sqs_event
from andon.testing.log_lines import unlogged
from andon.testing.memory.aws import OneTable
from andon.testing.orders import OrderedStep, ends_of_every_order
from services.equipment import command
from services.equipment.facts import FACTS
from services.equipment.tables import KEYS, TABLE, partition_of
from tests.support.samples import NOW
from tests.support.services.reports import REPORT

DAY_MS = 86_400_000
PRESS = "press-7"
CONTEXT = LocalContext("equipment")
EQUIPMENT = Package("services", "equipment")
RESTORE, TRIGGER = EQUIPMENT.handler("restore"), EQUIPMENT.handler("trigger")
UNTIL = ttl_at(NOW, 33)
JOB, LATER_JOB = Replay("job-1", UNTIL), Replay("job-2", UNTIL + 99)

EXPIRED_MS = NOW - 40 * DAY_MS
ALIVE_MS = NOW - 5 * DAY_MS
LAST_MINUTE_MS = NOW - 33 * DAY_MS + 60_000


@pytest.fixture(name="memory", scope="module")
def memory_of_module() -> Iterator[OneTable]:
    with OneTable("EQUIPMENT_TABLE", KEYS) as memory, frozen_clock(NOW), unlogged():
        yield memory


def report(at_ms: int) -> int:
    """Report a state, as a device that never gives up does; return the status."""
    path = {"id": PRESS, "timestamp": times.to_utc(at_ms)}
    status: int = command.handler(http_event(REPORT, path=path, body={"state": "WARNING1"}), CONTEXT)["statusCode"]
    return status


def restored(message: str, replay: Replay) -> None:
    body = to_replayed(json.loads(message), replay)
    assert RESTORE(sqs_event([body]), CONTEXT) == {"batchItemFailures": []}


def reported(memory: OneTable, at_ms: int) -> str:
    """Report a state when it is so; return the message of its event."""
    with frozen_clock(at_ms):
        assert report(at_ms) == 201
    found = events_of(memory.new_records(), facts=FACTS, tags={"pipeline": "equipment.trigger"})  # type: ignore[arg-type]
    (event,) = found.values()
    return to_message(event, source="equipment")


def row_of(at_ms: int) -> dict[str, Any] | None:
    """Return the row of a report; one that has expired is none."""
    row = TABLE.get(KEYS.of(partition_of(PRESS), times.to_utc(at_ms)), consistent=True)
    return row if row and row["ttl"] > clock.now_ms() // 1000 else None


def ends(memory: OneTable, at_ms: int, *, is_reaped: bool = False, time_passes_ms: int = 0) -> dict[str, str]:
    """Return the end of every order: the row of a report, and the published events."""
    memory.clear()
    message = reported(memory, at_ms)
    written = {} if is_reaped else memory.partitions

    def begin() -> None:
        memory.clear()
        memory.partitions = written
        clock.now_ms = lambda: NOW

    def pass_time() -> None:
        clock.now_ms = lambda: NOW + time_passes_ms

    def end() -> str:
        TRIGGER({"Records": memory.new_records()}, CONTEXT)
        return json.dumps([row_of(at_ms), memory.published], sort_keys=True)

    replay = OrderedStep("replayed", lambda: restored(message, JOB))
    steps = [
        *(replay, replay),
        OrderedStep("replayed by another job", lambda: restored(message, LATER_JOB)),
        OrderedStep("reported again", lambda: report(at_ms)),
        OrderedStep("reap", lambda: memory.reap(clock.now_ms())),
        *([OrderedStep("time passes", pass_time)] if time_passes_ms else []),
    ]
    try:
        return ends_of_every_order(steps, begin=begin, end=end)
    finally:
        begin()


@pytest.mark.parametrize("is_reaped", [False, True], ids=["not yet reaped", "reaped"])
def test_an_expired_row_is_the_same_after_every_order_and_nothing_is_published(
    memory: OneTable, *, is_reaped: bool
) -> None:
    found = ends(memory, EXPIRED_MS, is_reaped=is_reaped)

    assert len(found) == 1, found
    row, published = json.loads(next(iter(found)))
    assert (row["state"], row["ttl"], row["latched"]) == ("WARNING1", LATER_JOB.until, True)
    assert published == []


def test_a_row_that_has_not_expired_stays_as_it_is_and_lives_as_long_after_every_order(memory: OneTable) -> None:
    found = ends(memory, ALIVE_MS)

    assert len(found) == 1, found
    row, published = json.loads(next(iter(found)))
    assert (row["state"], row["ttl"], "latched" in row) == ("WARNING1", LATER_JOB.until, False)
    assert published == []


def test_a_row_that_expires_meanwhile_is_there_after_every_order(memory: OneTable) -> None:
    """A row that comes back differs from one that lives on in its latch alone."""
    found = ends(memory, LAST_MINUTE_MS, time_passes_ms=120_000)

    seen = [json.loads(end) for end in found]
    for row, published in seen:
        row.pop("latched", None)
        assert (row["state"], row["ttl"], published) == ("WARNING1", LATER_JOB.until, []), found
    assert all(row == seen[0][0] for row, _ in seen), found
