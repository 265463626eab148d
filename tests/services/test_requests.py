"""The cost of each use of the system: DynamoDB requests, counted on the wire and printed."""

from collections.abc import Callable
from uuid import uuid4

import pytest

from andon.packages.discovery import subscribers_of
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.wire import Wire
from demo.people import ANN, LIZ, SARA, SUE
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
from tests.support.services.versions import audit, put

Use = Callable[[Loop, str], object]

COMMANDS: dict[str, tuple[Use, list[str]]] = {
    "report a state": (report, ["PutItem"]),
    "assign an operator": (lambda loop, id_: assign(loop, id_, LIZ), ["PutItem"]),
    "escalate to a supervisor": (lambda loop, id_: escalate(loop, id_, SARA), ["PutItem"]),
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


def test_a_roster_that_is_there_is_refused_to_whoever_names_no_version_by_one_write_and_no_read(
    loop: Loop, equipment_id: str, wire: Wire
) -> None:
    staff(loop, equipment_id)
    wire.requests.clear()

    refused = staff(loop, equipment_id, [SUE], SARA)

    assert (refused.status, wire.operations) == (428, ["PutItem"])  # the command's role may read no row


def test_a_change_of_an_assignment_is_one_write_and_no_read(loop: Loop, equipment_id: str, wire: Wire) -> None:
    assign(loop, equipment_id, LIZ)
    wire.requests.clear()

    with frozen_clock(NOW + 1):
        assign(loop, equipment_id, SUE, if_match=1)
        changed = list(wire.operations)
        assign(loop, equipment_id, ANN, if_match=1)

    print(f"assign another operator: {changed}")  # noqa: T201
    assert changed == ["UpdateItem"]
    assert wire.operations == changed * 2


HEARING = subscribers_of("equipment", "state-reported")
CONTROL = {table for package in HEARING if package.has("control") for table in package.tables}
VIEWS = sorted(table for package in HEARING if package.side == "views" for table in package.tables)
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
    assert sorted(table for table in tables if table not in CONTROL) == VIEWS


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
    person = str(uuid4())
    log = {"id": equipment_id, "state": "WARNING1", "timestamp": AT}
    report(loop, equipment_id)
    assign(loop, equipment_id, person, path=log)
    escalate(loop, equipment_id, person, path=log)
    loop.run()
    wire.requests.clear()
    wire.measure_capacity()

    answer = loop.request(route, path={QUERIES[route]: equipment_id if QUERIES[route] == "id" else person})

    assert answer.status == 200
    (query,) = wire.requests
    units = query.answer["ConsumedCapacity"]["CapacityUnits"]
    print(f"{route}: 1 {query.operation}, {units} units of read capacity")  # noqa: T201
    assert query.operation == "Query"
    assert units <= 1
    assert query.answer["Count"] == query.answer["ScannedCount"] == told


def test_an_audit_costs_what_it_does_on_paper(loop: Loop, equipment_id: str, wire: Wire) -> None:
    """Two units are for the check that the equipment is registered; all else about versions is in `lab.costs`."""
    put(loop, equipment_id)
    wire.requests.clear()
    wire.measure_capacity()

    audit(loop, equipment_id)

    (request,) = wire.requests
    assert request.operation == "TransactWriteItems"
    assert sum(one["CapacityUnits"] for one in request.answer["ConsumedCapacity"]) == 6
