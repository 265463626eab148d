"""The cost of each use of the system: DynamoDB requests, counted on the wire and printed."""

from collections import Counter
from collections.abc import Callable

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
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
from tests.support.services.versions import audit, delete, put, roll_back
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


def change(loop: Loop, equipment_id: str) -> object:
    return put(loop, equipment_id, "another", if_match=1)


def retire(loop: Loop, equipment_id: str) -> object:
    return delete(loop, equipment_id, if_match=1)


def go_back(loop: Loop, equipment_id: str) -> object:
    return roll_back(loop, equipment_id, 1, if_match=2)


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


QUERIES = {
    LOGS: "id",
    STATES: "id",
    LATEST: "id",
    OPERATOR_LOGS: "operator",
    ESCALATIONS: "supervisor",
    EPISODES: "id",
}


@pytest.mark.parametrize("route", list(QUERIES))
def test_a_page_is_one_query_and_one_unit_of_capacity(loop: Loop, equipment_id: str, wire: Wire, route: str) -> None:
    told = 3 if route == EPISODES else 1
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
    assert query.answer["Count"] == query.answer["ScannedCount"] == told


CURRENT, HISTORY = "EQUIPMENT_TABLE", "EQUIPMENT_HISTORY_TABLE"
VERSION = {CURRENT: 2, HISTORY: 3}
"""A row costs two units in a transaction, and one more for the index of the history by time; rows are under 1 KB.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
"""


@pytest.mark.parametrize(
    ("given", "command", "requests", "written", "read"),
    [
        ([], put, ["TransactWriteItems"], VERSION, {}),
        ([put], change, ["TransactWriteItems"], VERSION, {}),
        ([put], retire, ["GetItem", "TransactWriteItems"], VERSION, {CURRENT: 1}),
        ([put, change], go_back, ["GetItem", "GetItem", "TransactWriteItems"], VERSION, {CURRENT: 1, HISTORY: 1}),
        # Two of them for the check that the equipment is registered.
        ([put], audit, ["TransactWriteItems"], {CURRENT: 6}, {}),
    ],
    ids=["create", "update", "delete", "rollback", "audit"],
)
def test_a_version_costs_what_it_does_on_paper(
    loop: Loop,
    equipment_id: str,
    wire: Wire,
    given: list[Use],
    command: Use,
    requests: list[str],
    written: dict[str, float],
    read: dict[str, float],
) -> None:
    wire.measure_capacity()
    for later, use in enumerate([*given, command]):
        wire.requests.clear()
        with frozen_clock(NOW + later):
            use(loop, equipment_id)

    assert wire.operations == requests
    units: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for request in wire.requests:
        consumed = request.answer["ConsumedCapacity"]
        for one in consumed if isinstance(consumed, list) else [consumed]:
            units[request.operation == "GetItem"][one["TableName"]] += one["CapacityUnits"]
    assert (units[False], units[True]) == (written, read)
