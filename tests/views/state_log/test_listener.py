from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract import times
from local.in_process.loop import Loop
from local.in_process.world import frozen_clock
from patterns.dynamodb.ttl import ttl_at
from patterns.events.domain_event import DomainEvent
from patterns.packages.discovery import views
from patterns.views.inverse_oplock import order_of
from tests.support.examples import ON_TABLES
from tests.support.samples import NOW, body_of, fact
from tests.support.services.reports import ESCALATIONS, LOGS, OPERATOR_LOGS
from tests.support.wire import Wire
from views.state_log.listener import VIEW

TYPES = ("state-reported", "operator-assigned", "state-escalated")
(STATE_LOG,) = (package for package in views() if package.name == "state_log")

_numbers = count(1)


def an_id() -> str:
    return f"listened to {next(_numbers)}"


def facts_of(equipment_id: str) -> list[DomainEvent]:
    return [fact(name, equipmentId=equipment_id) for name in TYPES]


def deliver(loop: Loop, *events: DomainEvent) -> list[str]:
    return loop.deliver(STATE_LOG, [body_of(event) for event in events])


def row_of(equipment_id: str) -> dict[str, Any]:
    """Read the row of a piece of equipment, without the name that differs from test to test."""
    row = VIEW.table.get({"DeviceID": equipment_id, "State#Date": WHOLE["State#Date"]}, consistent=True) or {}
    return {name: value for name, value in row.items() if name != "DeviceID"}


def distinct_orders(events: Sequence[DomainEvent]) -> Iterator[tuple[DomainEvent, ...]]:
    """Give each order of deliveries once: two deliveries of one event are not told apart."""
    numbers = [number for number in range(len(events)) for _ in range(2)]
    for order in sorted(set(permutations(numbers))):
        yield tuple(events[number] for number in order)


WHOLE = {
    "State#Date": "WARNING1#2020-04-24T14:50:00.000Z",
    "State": "WARNING1",
    "Date": "2020-04-24T14:50:00.000Z",
    "Detail": "spindle at 81 °C",
    "Operator": "Liz",
    "EscalatedTo": "Sara",
    "oplock#reported": order_of(fact("state-reported")),
    "oplock#assigned": order_of(fact("operator-assigned")),
    "oplock#escalated": order_of(fact("state-escalated")),
    "ttl": ttl_at(max(fact(name).timestamp for name in TYPES), 33),
}


def test_a_row_is_the_same_whatever_order_its_three_facts_arrive_in_each_of_them_twice(loop: Loop) -> None:
    orders = list(distinct_orders(facts_of("?")))
    assert len(orders) == 90

    for order in orders:
        equipment_id = an_id()
        for event in order:
            deliver(loop, fact(event.type, equipmentId=equipment_id))
        assert row_of(equipment_id) == WHOLE


@ON_TABLES
@given(st.data())
def test_a_row_is_the_same_however_its_facts_are_split_into_batches(loop: Loop, data: st.DataObject) -> None:
    equipment_id = an_id()
    changed = fact("operator-assigned.changed", equipmentId=equipment_id)
    deliveries = data.draw(st.permutations([*facts_of(equipment_id), changed] * 2))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(deliveries) - 1))))

    for start, end in zip([0, *cuts], [*cuts, len(deliveries)], strict=True):
        assert deliver(loop, *deliveries[start:end]) == []

    assert row_of(equipment_id) == WHOLE | {
        "Operator": "Sue",
        "oplock#assigned": order_of(changed),
        "ttl": ttl_at(changed.timestamp, 33),
    }


@pytest.mark.parametrize("first", TYPES)
def test_a_fact_that_comes_before_the_others_shows_the_log(loop: Loop, equipment_id: str, first: str) -> None:
    deliver(loop, fact(first, equipmentId=equipment_id))

    answer = loop.request(LOGS, path={"id": equipment_id})

    (log,) = answer.body["items"]
    assert (log["state"], log["timestamp"]) == ("WARNING1", "2020-04-24T14:50:00.000Z")


def test_reassigning_moves_a_log_from_one_operator_to_the_other(loop: Loop, equipment_id: str) -> None:
    liz, sue = f"Liz of {equipment_id}", f"Sue of {equipment_id}"
    deliver(loop, fact("operator-assigned", equipmentId=equipment_id, operator=liz))
    deliver(loop, fact("operator-assigned.changed", equipmentId=equipment_id, operator=sue))

    found = {
        operator: len(loop.request("GET /operators/{operator}/logs", path={"operator": operator}).body["items"])
        for operator in (liz, sue)
    }

    assert found == {liz: 0, sue: 1}


def test_what_a_rule_decided_is_answered_as_if_a_person_had(loop: Loop, equipment_id: str) -> None:
    sue, sara = f"Sue of {equipment_id}", f"Sara of {equipment_id}"
    deliver(loop, fact("operator-assigned.by-rule", equipmentId=equipment_id, operator=sue))
    deliver(loop, fact("state-escalated.by-rule", equipmentId=equipment_id, supervisor=sara))

    questions = {LOGS: {"id": equipment_id}, OPERATOR_LOGS: {"operator": sue}, ESCALATIONS: {"supervisor": sara}}
    answers = [loop.request(route, path=who).body["items"] for route, who in questions.items()]

    log = {"equipmentId": equipment_id, "state": "WARNING1", "timestamp": "2020-04-24T14:40:00.000Z"}
    assert answers == [[log | {"operator": sue, "escalatedTo": sara}]] * len(questions)


def test_a_row_never_expires_before_what_it_tells_of(loop: Loop, equipment_id: str) -> None:
    late = fact("operator-assigned", equipmentId=equipment_id, at=NOW)
    deliver(loop, late, *facts_of(equipment_id))

    assert row_of(equipment_id)["ttl"] == ttl_at(NOW, 33)


def test_a_fact_that_has_expired_on_arrival_leaves_no_row(loop: Loop, equipment_id: str) -> None:
    with frozen_clock(times.to_ms("2020-04-24T14:50:00Z") + 33 * 86_400_000):
        assert deliver(loop, fact("state-reported", equipmentId=equipment_id)) == []

    assert loop.request(LOGS, path={"id": equipment_id}).body["items"] == []


def test_one_poison_fact_in_a_batch_becomes_a_fault_and_nine_rows_are_kept(loop: Loop) -> None:
    equipment_ids = [an_id() for _ in range(9)]
    good = [body_of(fact("state-reported", equipmentId=equipment_id)) for equipment_id in equipment_ids]
    poison = body_of(fact("state-reported", equipmentId=an_id(), timestamp="yesterday"))

    for at in (0, 5, 9):
        assert loop.deliver(STATE_LOG, [*good[:at], poison, *good[at:]]) == []

    rows = Counter(row["DeviceID"] for row in loop.rows("STATE_LOG_TABLE"))
    assert [rows[equipment_id] for equipment_id in equipment_ids] == [1] * 9
    faults = loop.run()
    assert [fault["detail-type"] for fault in faults] == ["fault"] * 3
    assert len({fault["detail"]["id"] for fault in faults}) == 1


@pytest.mark.parametrize(
    ("before", "delivered"),
    [((), 0), ((0,), 0), ((0, 1), 0), ((1,), 2)],
    ids=["first", "duplicate", "duplicate of two", "of the same age"],
)
def test_a_fact_costs_one_request(
    loop: Loop, equipment_id: str, wire: Wire, before: tuple[int, ...], delivered: int
) -> None:
    facts = facts_of(equipment_id)
    for number in before:
        deliver(loop, facts[number])
    wire.requests.clear()

    deliver(loop, facts[delivered])

    assert wire.operations == ["UpdateItem"]
    assert wire.requests[0].parameters["ReturnValuesOnConditionCheckFailure"] == "ALL_OLD"
