"""What a use of the system costs: DynamoDB requests, counted on the wire and printed."""

from collections.abc import Callable

import pytest

from local.in_process import frozen_clock
from local.loop import Loop
from tests.samples import NOW
from tests.services.reports import (
    AT,
    ESCALATIONS,
    LATEST,
    LOGS,
    OPERATOR_LOGS,
    STATES,
    assign,
    escalate,
    report,
)
from tests.wire import Wire

Use = Callable[[Loop, str], object]

COMMANDS: dict[str, tuple[Use, list[str]]] = {
    "report a state": (report, ["PutItem"]),
    "assign an operator": (lambda loop, id_: assign(loop, id_, "Liz"), ["PutItem"]),
    "escalate to a supervisor": (lambda loop, id_: escalate(loop, id_, "Sara"), ["PutItem"]),
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


def test_a_report_goes_all_the_way_to_the_view_with_one_publication(loop: Loop, equipment_id: str, wire: Wire) -> None:
    loop.run()
    wire.requests.clear()

    report(loop, equipment_id)
    loop.run()

    ours = [operation for operation in wire.operations if operation in {"PutItem", "UpdateItem", "PutEvents"}]
    print(f"a report, until the view has it: {ours}")  # noqa: T201
    assert ours[:2] == ["PutItem", "PutEvents"]
    assert set(ours[2:]) <= {"UpdateItem"}
    assert "GetItem" not in wire.operations


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
