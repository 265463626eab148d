"""Whoever was erased is assigned by no rule: the next one is, and with nobody left it is as without a roster."""

import json
from functools import partial
from itertools import chain
from typing import Any

import pytest

from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, broken_at_every_call, calls_of
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.orders import OrderedStep, State, ends_of_every_order
from contract.duty import Roster
from services.dispatch.erased import erased_among
from services.dispatch.roster import on_duty
from services.dispatch.tables import TABLE
from tests.support.dispatch.floor import FACTORY, OPERATORS, SUPERVISOR, Floor, report_body
from tests.support.dispatch.model import MINUTE, Report
from tests.support.dispatch.shop import open_shop, reported
from tests.support.samples import NOW
from tests.support.services import people
from tests.support.services.reports import ASSIGNMENT, STAFF, assign, log_path

ROSTER = Roster(OPERATORS, SUPERVISOR)
FIRST = str(ROSTER.operator_for("press-7"))
SECOND = str(ROSTER.without([FIRST]).operator_for("press-7"))
NEW = {"operators": ["op-77"], "supervisor": "sv-77"}


def at(floor: Floor, minute: float, state: str = "ERROR") -> None:
    """Let the press report a state."""
    ms = NOW + round(minute * MINUTE)
    floor.report("press-7", Report(ms, state, ms))


def assigned(floor: Floor) -> list[str]:
    return [one.says for one in floor.decided("press-7") if one.kind == "assignment"]


def escalated(floor: Floor) -> list[str]:
    return [one.says for one in floor.decided("press-7") if one.kind == "escalation"]


def restaff(floor: Floor) -> None:
    assert floor.request(STAFF, path={"factoryId": FACTORY}, body=NEW, headers={"if-match": '"1"'})[0] == 200


def test_the_next_one_is_assigned_in_place_of_somebody_erased_and_who_was_assigned_before_stays(
    floor: Floor, press: str
) -> None:
    at(floor, 0)
    assert assigned(floor) == [FIRST]

    floor.erase(FIRST)
    at(floor, 1)

    assert sorted(assigned(floor)) == sorted([FIRST, SECOND])
    assert press == "press-7"


@pytest.mark.usefixtures("press")
def test_an_erased_supervisor_is_escalated_nothing_until_there_is_another_one(floor: Floor) -> None:
    floor.erase(SUPERVISOR)
    at(floor, 0)
    at(floor, 5)
    floor.wait_until(NOW + 17 * MINUTE)
    assert (assigned(floor), escalated(floor)) == ([FIRST, FIRST], [])

    restaff(floor)
    floor.wait_until(NOW + 60 * MINUTE)

    assert escalated(floor) == ["sv-77"]


@pytest.mark.usefixtures("press")
def test_with_nobody_left_it_is_as_without_a_roster(floor: Floor) -> None:
    for person in (*OPERATORS, SUPERVISOR):
        floor.erase(person)
    at(floor, 0)
    at(floor, 5)
    floor.wait_until(NOW + 9 * MINUTE)
    assert (assigned(floor), escalated(floor)) == ([], [])

    restaff(floor)
    at(floor, 10)
    floor.wait_until(NOW + 60 * MINUTE)

    assert (assigned(floor), escalated(floor)) == (["op-77"] * 3, ["sv-77"])


def test_whatever_order_events_come_in_and_however_often_nobody_erased_is_assigned(floor: Floor) -> None:
    """Roster, whereabouts, erasure, reports: the roster may name somebody who was erased long before."""
    marked: list[bool] = []
    late: list[str] = []

    def begin() -> None:
        floor.table.clear()
        floor.now_ms = NOW
        marked.clear()

    def erase() -> None:
        floor.erase(FIRST)
        marked.append(True)

    def report(minute: int) -> None:
        before = floor.decision_rows()
        floor.now_ms = max(floor.now_ms, NOW + minute * MINUTE)
        floor.deliver([report_body("press-7", Report(NOW + minute * MINUTE, "ERROR", floor.now_ms))])
        floor.settle()
        made = [row for key, row in floor.decision_rows().items() if key not in before]
        late.extend(row["operator"]["S"] for row in made if marked and "operator" in row)

    steps = [
        OrderedStep("roster", floor.staff),
        OrderedStep("whereabouts", partial(floor.register, "press-7")),
        *[OrderedStep("erased", erase)] * 2,
        *(OrderedStep(f"report {minute}", partial(report, minute)) for minute in (0, 1)),
    ]

    def end() -> str:
        report(2)
        return json.dumps(sorted({*assigned(floor)}))

    def keep() -> str:
        return json.dumps([floor.kept(), marked])

    def put_back(kept: str) -> None:
        of_floor, marked[:] = json.loads(kept)
        floor.put_back(of_floor)

    ends = ends_of_every_order(steps, begin=begin, end=end, state=State(keep, put_back))

    assert set(late) == {SECOND}
    assert {*chain.from_iterable(map(json.loads, ends))} == {FIRST, SECOND}, ends


@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_a_decision_that_is_broken_at_any_call_and_made_again_is_for_nobody_erased(
    floor: Floor, interruption: Interruption
) -> None:
    def run(breaking: Breaking) -> list[str]:
        floor.restart("press-7")
        floor.erase(FIRST)
        floor.table.new_records()
        floor.deliver([report_body("press-7", Report(NOW, "ERROR", NOW))])
        records = floor.table.new_records()
        breaking.insist(lambda: floor.react(records))
        return assigned(floor)

    found = [who for _, who in broken_at_every_call(interruption, run)]

    assert found
    assert all(who == [SECOND] for who in found)


def test_a_mark_that_comes_again_or_in_other_words_changes_nothing(floor: Floor) -> None:
    floor.restart("press-7")
    floor.erase(FIRST)
    once = floor.table.rows(f"Person#{FIRST}")
    floor.erase(FIRST)

    assert floor.table.rows(f"Person#{FIRST}") == once
    assert "ttl" not in once[0]


@pytest.mark.parametrize("gone", [[], [FIRST], [SUPERVISOR], [FIRST, SECOND], [*OPERATORS], [*OPERATORS, SUPERVISOR]])
def test_no_more_people_are_looked_up_than_are_needed(gone: list[str]) -> None:
    asked: list[list[str]] = []

    def among(some: Any) -> list[str]:  # noqa: ANN401
        asked.append([*some])
        return [person for person in asked[-1] if person in gone]

    left = on_duty(ROSTER, "press-7", among)

    expected = ROSTER.without(gone)
    assert (left is None) == (not expected.people)
    chosen = left and left.operator_for("press-7")
    assert (chosen, left and left.supervisor) == (expected.operator_for("press-7"), expected.supervisor)
    assert sorted(asked[0]) == sorted([FIRST, SUPERVISOR])
    assert len(asked) == (2 if FIRST in gone else 1)


def test_to_look_people_up_is_one_request_whoever_stands_on_a_roster_twice(floor: Floor) -> None:
    floor.restart("press-7")

    assert calls_of(lambda: erased_among(TABLE, ["op-17", "sv-03", "op-17"])) == ["BatchGetItem"]
    assert calls_of(lambda: erased_among(TABLE, ["op-17", "op-17"])) == ["GetItem"]


def test_a_person_may_still_assign_an_erased_id_and_that_costs_no_read(loop: Loop, equipment_id: str) -> None:
    """It is an id and says no name: who plans does not learn from a refusal who was erased."""
    people.erase(loop, "op-4711")
    loop.run()

    assert calls_of(lambda: assign(loop, equipment_id, "op-4711")) == ["PutItem"]
    assert loop.request(ASSIGNMENT, path=log_path(equipment_id)).body["operator"] == "op-4711"


def test_an_erasure_reaches_the_rules_through_the_bus(loop: Loop, equipment_id: str) -> None:
    open_shop(loop, equipment_id, ["op-31", "op-32"])
    (first,) = {one["operator"] for one in _assignments(reported(loop, equipment_id, "ERROR", 0))}
    people.erase(loop, first)
    loop.run()

    with frozen_clock(NOW + 2 * MINUTE):
        (second,) = {one["operator"] for one in _assignments(reported(loop, equipment_id, "ERROR", 1))}

    assert second != first


def _assignments(published: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one["detail"]["assignment"] for one in published if one["detail-type"] == "operator-assigned"]
