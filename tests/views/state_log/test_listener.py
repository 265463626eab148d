from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.handlers.declared_listener import listener_of
from andon.packages.discovery import views
from andon.testing.loop import Loop
from andon.views.inverse_oplock import event_order
from tests.support.examples import ON_TABLES
from tests.support.samples import body_of, fact
from tests.support.services.reports import LOGS

TYPES = ("state-reported", "operator-assigned", "state-escalated")
(STATE_LOG,) = (package for package in views() if package.name == "state_log")
VIEW = listener_of(STATE_LOG.folder)

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


WHOLE = {
    "State#Date": "WARNING1#2020-04-24T14:50:00.000Z",
    "State": "WARNING1",
    "Date": "2020-04-24T14:50:00.000Z",
    "Detail": "spindle at 81 °C",
    "Operator": "Liz",
    "EscalatedTo": "Sara",
    "oplock#reported": event_order(fact("state-reported")),
    "oplock#assigned": event_order(fact("operator-assigned"), origin="dispatch"),
    "oplock#escalated": event_order(fact("state-escalated")),
    "ttl": ttl_at(max(fact(name).timestamp_ms for name in TYPES), 33),
}


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
        "oplock#assigned": event_order(changed, origin="dispatch"),
        "ttl": ttl_at(changed.timestamp_ms, 33),
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
