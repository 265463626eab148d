"""A flood of events of one key costs neither its own evaluations nor the decisions about others."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import pytest

from andon.dynamodb.attribute_values import Typed, to_typed
from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.rules import sweep as sweeping
from andon.rules.control import control_changes
from andon.rules.control_service import Control
from andon.rules.due import SHARDS, shard_of
from andon.rules.micro_event_store import PAGE, PAGES_OF_NEWER, STORED_WITHIN_MS
from andon.rules.plan import dues_of
from andon.rules.rule import Decision, History
from andon.rules.stored_event import StoredEvent
from andon.rules.sweep import MARGIN_MS, sweep
from andon.rules.timing import PASSED_OVER
from andon.runtime.errors import CallFailed
from andon.testing.above_retries import Pass, between
from andon.testing.crash_points import calls_of
from andon.testing.environment import REGION, LocalContext, frozen_clock
from andon.testing.lambda_events import sqs_event
from andon.testing.memory.aws import OneTable
from andon.testing.memory.hook import Call
from andon.views.materialize import materialize
from toys.clock import NOW
from toys.things import message
from toys.toy_control import (
    BROKEN,
    CONTROL,
    FACTS,
    FORGOTTEN,
    FORGOTTEN_MS,
    HOLD_BACK_MS,
    KEYS,
    KNOCKED,
    LABEL,
    MINUTE_MS,
    SWEPT_MS,
    TTL_DAYS,
    VARIABLE,
    VIEW,
    decide,
    knocked,
    on_happened,
    rules_of,
    thing_of,
)

HOUR_MS = 60 * MINUTE_MS
NEWER = [0, 1_000, 5_000]


@pytest.fixture(name="table")
def table_in_memory() -> Iterator[OneTable]:
    with OneTable(VARIABLE, KEYS) as table, frozen_clock(NOW):
        yield table


def upon(history: History) -> Iterable[Decision]:
    yield decide("broken", thing_of(history.anchor.partition_key), str(history.anchor.timestamp_ms), history.anchor)


EACH = BROKEN._replace(expression=upon)
RULES = CONTROL._replace(rules=rules_of(LABEL, EACH, FORGOTTEN), remembers={}, context_of=lambda _: "Liz")


def stored(event: DomainEvent, **members: Any) -> StoredEvent:  # noqa: ANN401
    return on_happened(event).stored(event, arrived_ms=event.timestamp_ms)._replace(**members)


def put(table: OneTable, rows: Iterable[dict[str, Any]]) -> None:
    """Put rows without the stream having records of them."""
    partitions: dict[str, dict[str, Typed]] = {key: dict(there) for key, there in table.partitions.items()}
    for row in rows:
        partitions.setdefault(row["pk"], {})[row["sk"]] = to_typed(row)
    table.partitions = partitions


def flood(name: str, number: int, *, since: int, **members: Any) -> list[StoredEvent]:  # noqa: ANN401
    return [stored(knocked(name, at=since + one), **members) for one in range(number)]


def listen(*events: DomainEvent) -> None:
    assert materialize(sqs_event(map(message, events)), LocalContext("l"), listener=VIEW) == {"batchItemFailures": []}


def react(table: OneTable, control: Control = RULES) -> None:
    while records := table.new_records():
        control_changes({"Records": records}, LocalContext("t"), facts=FACTS, control=control)


def decisions(table: OneTable, name: str) -> list[str]:
    return [row["sk"] for row in table.rows(thing_of(name)) if row["sk"].startswith("decision#")]


@pytest.mark.parametrize("newer", NEWER)
def test_one_old_report_costs_the_same_however_much_is_newer(table: OneTable, newer: int) -> None:
    put(table, (one.row(KEYS) for one in flood("press", newer, since=NOW - HOUR_MS)))
    put(table, [stored(knocked("press", at=NOW - 40_000)).row(KEYS)])

    heard = calls_of(lambda: listen(knocked("press", at=NOW - 12 * HOUR_MS)))
    reacted = calls_of(lambda: react(table))

    assert heard == ["Query", "PutItem"]
    assert reacted == ["Query", "PutItem", "PutEvents"]  # labelled at once; it is late for all that waits
    with frozen_clock(NOW + HOUR_MS):
        assert calls_of(lambda: sweep(LocalContext("s"), control=RULES)) == ["Query"] * SHARDS


@pytest.mark.parametrize("newer", NEWER)
def test_an_evaluation_costs_the_same_however_much_has_followed_by_then(table: OneTable, newer: int) -> None:
    listen(knocked("press"))
    react(table)
    put(table, (one.row(KEYS) for one in flood("press", newer, since=NOW + FORGOTTEN_MS + 1)))

    with frozen_clock(NOW + HOUR_MS):
        swept = calls_of(lambda: sweep(LocalContext("s"), control=RULES))

    assert swept.count("Query") == SHARDS + 2  # a look back and a look ahead
    assert decisions(table, "press") == [f"decision#{what}#{NOW}" for what in ("broken", "forgotten", "label")]


def test_an_evaluation_is_bounded_in_the_middle_of_a_flood(table: OneTable) -> None:
    listen(knocked("press"))
    react(table)
    late = {"late_by": frozenset({KNOCKED})}
    put(table, (one.row(KEYS) for one in flood("press", 5_000, since=NOW - 5_000, **late)))
    put(table, (one.row(KEYS) for one in flood("press", 5_000, since=NOW + 1)))

    with frozen_clock(NOW + HOUR_MS):
        swept = calls_of(lambda: sweep(LocalContext("s"), control=RULES))

    pages = 1 + (BROKEN.most + PASSED_OVER) // PAGE
    assert swept.count("Query") <= SHARDS + 3 * pages


@pytest.mark.parametrize("newer", [PAGE * PAGES_OF_NEWER - 1, 5_000])
def test_in_a_flood_an_event_is_late_without_a_look_at_all_that_is_newer(table: OneTable, newer: int) -> None:
    put(table, (one.row(KEYS) for one in flood("press", newer, since=NOW + 1, arrived_ms=NOW)))

    calls = calls_of(lambda: listen(knocked("press")))

    assert calls.count("Query") <= PAGES_OF_NEWER
    row = next(row for row in table.rows(thing_of("press")) if row["sk"].startswith(f"event#{NOW}"))
    assert (row.get("late"), row.get("flooded")) == (([[*KNOCKED]], True) if newer == 5_000 else (None, None))


def test_a_long_past_that_has_expired_and_is_still_there_is_not_read_to_its_end(table: OneTable) -> None:
    put(table, (one.row(KEYS) for one in flood("press", 5_000, since=NOW - 40 * 24 * HOUR_MS)))
    listen(knocked("press"))

    assert calls_of(lambda: react(table)).count("Query") <= 10


@dataclass(slots=True)
class Clocked:
    """An invocation of a minute in which each call to AWS takes some milliseconds, one after the other."""

    began_ms: float
    call_ms: float
    aws_request_id: str = "one"
    function_name: str = "keeper-sweep"
    calls: int = 0

    def get_remaining_time_in_millis(self) -> int:
        return round(60_000 - self.calls * self.call_ms)


CALL_MS = 10
FLOOD = int(os.environ.get("FLOOD", "3000"))  # the table in memory takes a minute for 20,000


def minutes(table: OneTable, machines: list[str], *, call_ms: int = CALL_MS) -> dict[str, int]:
    """Sweep each minute; return in which of the sweeps it was decided about each machine, from 0."""
    found = dict[str, int]()
    for minute in range(2):
        context = Clocked(0, call_ms)

        def counted(_: Call, make: Pass, context: Clocked = context) -> dict[str, Any]:
            context.calls += 1
            return make()

        with frozen_clock(NOW + SWEPT_MS + minute * MINUTE_MS), between(counted):
            sweep(context, control=EACH_ALONE)
        assert context.get_remaining_time_in_millis() > 0
        print(f"minute {minute}: {context.calls} calls, {60_000 - context.get_remaining_time_in_millis()} ms")  # noqa: T201
        for machine in machines:
            if decisions(table, machine):
                found.setdefault(machine, minute)
    return found


EACH_ALONE = CONTROL._replace(rules=rules_of(EACH), remembers={})


def due_rows(events: Iterable[StoredEvent]) -> Iterator[dict[str, Any]]:
    for one in events:
        yield from (due.row(KEYS) for due in dues_of(one, [EACH], hold_back_ms=HOLD_BACK_MS))


def test_one_machines_flood_delays_no_other_machines_decision_by_more_than_a_minute(table: OneTable) -> None:
    machines = [f"press {number}" for number in range(200)]
    assert {shard_of(thing_of(machine)) for machine in machines} == set(range(SHARDS))
    flooded = flood("flooded", FLOOD, since=NOW - 30_000)
    others = [stored(knocked(machine)) for machine in machines]
    put(table, (one.row(KEYS) for one in [*flooded, *others]))
    put(table, due_rows([*flooded, *others]))

    found = minutes(table, machines, call_ms=2 * CALL_MS)

    assert sorted(found) == sorted(machines)
    assert max(found.values()) <= 1
    assert len(decisions(table, "flooded")) >= 1_000  # nor is it starved itself


@pytest.mark.parametrize("fails", [False, True], ids=["each costs much", "none can be decided"])
def test_nobody_waits_for_more_due_rows_of_one_machine_than_a_sweep_could_do(
    table: OneTable,
    monkeypatch: pytest.MonkeyPatch,
    fails: bool,  # noqa: FBT001
) -> None:
    monkeypatch.setattr(sweeping, "PAGE", 50)
    monkeypatch.setattr(sweeping, "MOST_OF_KEY", 50)
    monkeypatch.setattr(sweeping, "IN_TURN", 2)
    flooded = flood("flooded", 1_200, since=NOW - 30_000)
    machines = [f"press {number}" for number in range(200)]
    machines = [one for one in machines if shard_of(thing_of(one)) == shard_of(thing_of("flooded"))]
    others = [stored(knocked(machine)) for machine in machines]
    put(table, (one.row(KEYS) for one in [*flooded, *others]))
    put(table, due_rows([*flooded, *others]))

    def of_flooded(call: Call, make: Pass) -> dict[str, Any]:
        if fails and call.operation == "PutItem" and call.request["Item"]["pk"] == {"S": thing_of("flooded")}:
            raise CallFailed("InternalServerError")
        return make()

    with between(of_flooded):
        found = minutes(table, machines, call_ms=300)  # 200 calls in a minute

    assert sorted(found) == sorted(machines)
    assert max(found.values()) <= 1


def test_bad_rows_delay_no_other_machines_decision_by_more_than_a_minute(table: OneTable) -> None:
    machines = [f"press {number}" for number in range(200)]
    others = [stored(knocked(machine)) for machine in machines]
    put(table, (one.row(KEYS) for one in others))
    put(table, due_rows(others))
    put(table, ({**KEYS.of(f"due#{shard}", f"{NOW:013d}#bad"), "key": ["odd"]} for shard in range(SHARDS)))
    bad = stored(knocked(machines[0], at=NOW - 1)).row(KEYS) | {"arrived": "odd", "ttl": ttl_at(NOW, TTL_DAYS)}
    put(table, [bad])

    found = minutes(table, machines)

    assert set(found.values()) == {0}
    assert sorted(found) == sorted(machines)
    assert len(table.published) == SHARDS + 1


def test_rules_that_nobody_knows_delay_no_other_machines_decision(table: OneTable) -> None:
    machines = [f"press {number}" for number in range(50)]
    others = [stored(knocked(machine)) for machine in machines]
    unknown = [stored(knocked(f"old {number}", at=NOW - 5_000)) for number in range(2_000)]
    put(table, (one.row(KEYS) for one in others))
    put(table, due_rows(others))
    put(table, (row | {"rules": ["gone"]} for row in due_rows(unknown)))

    found = minutes(table, machines)

    assert set(found.values()) == {0}
    assert sorted(found) == sorted(machines)
    assert sum(row.get("rules") == ["gone"] for row in table.rows()) == len(unknown)


def test_a_sweep_waits_as_long_as_an_event_may_take_to_be_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    from andon.rules.micro_event_store import BEGUN_WITHIN_MS  # noqa: PLC0415
    from andon.wire.botocore_client import create  # noqa: PLC0415

    connect_seconds, read_seconds = attrgetter("connect_timeout", "read_timeout")(create("dynamodb").meta.config)
    assert BEGUN_WITHIN_MS + (connect_seconds + read_seconds) * 1000 < STORED_WITHIN_MS
    assert MARGIN_MS < 60_000
