"""What a use of the system costs: DynamoDB requests, counted on the wire and printed."""

from collections.abc import Callable

import pytest

from andon.rules.due import READ_SHARDS
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from tests.support.dispatch.shop import open_shop, reported, swept
from tests.support.samples import NOW
from tests.support.services.reports import (
    AT,
    EPISODES,
    ESCALATIONS,
    LATEST,
    LOGS,
    OPERATOR_LOGS,
    STATES,
    acknowledge,
    assign,
    escalate,
    report,
    staff,
)
from tests.support.services.versions import put
from tests.support.wire import Wire

Use = Callable[[Loop, str], object]

COMMANDS: dict[str, tuple[Use, list[str]]] = {
    "report a state": (report, ["PutItem"]),
    "assign an operator": (lambda loop, id_: assign(loop, id_, "Liz"), ["PutItem"]),
    "escalate to a supervisor": (lambda loop, id_: escalate(loop, id_, "Sara"), ["PutItem"]),
    "acknowledge a log": (acknowledge, ["PutItem"]),
    "staff a factory": (staff, ["PutItem"]),
}


@pytest.mark.parametrize("use", list(COMMANDS))
def test_a_command_is_one_write_and_no_read(loop: Loop, equipment_id: str, wire: Wire, use: str) -> None:
    do, expected = COMMANDS[use]

    do(loop, equipment_id)
    first = list(wire.operations)
    do(loop, equipment_id)

    print(f"{use}: {first}; again: {wire.operations[len(first) :]}")  # noqa: T201  a figure for a person
    assert first == expected
    assert wire.operations == expected * 2


def test_a_change_of_an_assignment_is_one_write_and_no_read(loop: Loop, equipment_id: str, wire: Wire) -> None:
    assign(loop, equipment_id, "Liz")
    wire.requests.clear()

    with frozen_clock(NOW + 1):
        assign(loop, equipment_id, "Sue", if_match=1)
        changed = list(wire.operations)
        assign(loop, equipment_id, "Ann", if_match=1)

    print(f"assign another operator: {changed}")  # noqa: T201
    assert changed == ["UpdateItem"]
    assert wire.operations == changed * 2


CONTROL = {"DISPATCH_TABLE", "ANOMALIES_TABLE"}
"""The tables of those who look at reports before they decide."""


def test_a_report_goes_all_the_way_to_the_views_with_one_publication(loop: Loop, equipment_id: str, wire: Wire) -> None:
    put(loop, equipment_id)
    loop.run()
    wire.requests.clear()

    report(loop, equipment_id)
    loop.run()

    ours = [request for request in wire.requests if request.operation in {"PutItem", "UpdateItem", "PutEvents"}]
    print(f"a report, until the views have it: {[request.operation for request in ours]}")  # noqa: T201
    assert [request.operation for request in ours[:2]] == ["PutItem", "PutEvents"]
    tables = [request.parameters["TableName"] for request in ours[2:]]
    assert sorted(table for table in tables if table not in CONTROL) == ["BOARD_TABLE", "STATE_LOG_TABLE"]


def of_dispatch(wire: Wire) -> list[str]:
    """List what was asked of the dispatch table, and forget it; the loop itself asks what its stream is."""
    asked = [one for one in wire.requests if one.parameters.get("TableName") == "DISPATCH_TABLE"]
    requests = [one.operation for one in asked if one.operation != "DescribeTable"]
    wire.requests.clear()
    return requests


def test_a_report_is_collected_by_a_read_and_a_write_and_evaluated_by_three_reads_and_a_write_for_each_decision(
    loop: Loop, equipment_id: str, wire: Wire
) -> None:
    open_shop(loop, equipment_id)
    of_dispatch(wire)

    reported(loop, equipment_id, "ERROR", 0)
    abnormal = of_dispatch(wire)
    reported(loop, equipment_id, "NORMAL", 1)
    normal = of_dispatch(wire)

    print(f"an abnormal report in dispatch: {abnormal}\na normal one: {normal}")  # noqa: T201
    collect, due, read = ["Query", "PutItem"], ["PutItem"], ["Query", "GetItem", "GetItem"]
    decision, memory = ["PutItem"], ["PutItem"]
    assert sorted(abnormal) == sorted([*collect, *due * 3, *read, *decision, *memory])
    assert normal == collect  # it follows closely: the timer is there, and no gap has ended


def test_a_sweep_reads_the_past_of_a_due_time_once_and_one_with_nothing_to_do_only_asks_each_shard(
    loop: Loop, equipment_id: str, wire: Wire
) -> None:
    swept(loop, 10_000)  # what others left
    open_shop(loop, equipment_id)
    reported(loop, equipment_id, "ERROR", 0)
    of_dispatch(wire)

    swept(loop, 0.5)
    nothing = of_dispatch(wire)
    swept(loop, 1)
    looked = of_dispatch(wire)
    swept(loop, 16)
    escalated = of_dispatch(wire)

    shards = ["Query"] * READ_SHARDS
    print(f"a sweep with nothing to do: {nothing}\nwith one time due: {looked}, {escalated}")  # noqa: T201
    assert nothing == shards
    assert sorted(looked) == sorted([*shards, "Query", "DeleteItem"])
    past = ["Query", "Query"]  # backward from the report, and forward to when the rule is due
    decided = [*past, "GetItem", "GetItem", "PutItem", "DeleteItem", "PutItem"]
    assert sorted(escalated) == sorted([*shards, *decided])


QUERIES = {
    LOGS: "id",
    STATES: "id",
    LATEST: "id",
    OPERATOR_LOGS: "operator",
    ESCALATIONS: "supervisor",
}


@pytest.mark.parametrize("route", list(QUERIES))
def test_a_page_is_one_query_and_one_unit_of_capacity(loop: Loop, equipment_id: str, wire: Wire, route: str) -> None:
    log = {"id": equipment_id, "state": "WARNING1", "timestamp": AT}
    report(loop, equipment_id)
    assign(loop, equipment_id, equipment_id, path=log)
    escalate(loop, equipment_id, equipment_id, path=log)
    loop.run()
    wire.requests.clear()
    wire.measure_capacity()

    answer = loop.request(route, path={QUERIES[route]: equipment_id})

    assert answer.status == 200
    (query,) = wire.requests
    units = query.answer["ConsumedCapacity"]["CapacityUnits"]
    print(f"{route}: 1 {query.operation}, {units} units of read capacity")  # noqa: T201
    assert query.operation == "Query"
    assert units <= 1
    assert query.answer["Count"] == query.answer["ScannedCount"] == 1


def test_a_page_of_a_story_is_one_query(loop: Loop, equipment_id: str, wire: Wire) -> None:
    report(loop, equipment_id)
    assign(loop, equipment_id, "Liz")
    loop.run()
    wire.requests.clear()
    wire.measure_capacity()

    answer = loop.request(EPISODES, path={"id": equipment_id})

    assert answer.status == 200
    (query,) = wire.requests
    units = query.answer["ConsumedCapacity"]["CapacityUnits"]
    print(f"{EPISODES}: 1 {query.operation}, {units} units of read capacity")  # noqa: T201
    assert query.operation == "Query"
    assert query.answer["Count"] == query.answer["ScannedCount"] == 2
