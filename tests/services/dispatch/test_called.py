"""Chains that begin with a call: who is asked for help when, until somebody has seen it."""

import json
from functools import partial
from typing import Final

import pytest

from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.testing.orders import OrderedStep, State, ends_of_every_order
from contract.duty import Roster
from tests.support.dispatch.chains import MANAGER, asked, chain, nobody, put_chains, step
from tests.support.dispatch.floor import OPERATORS, SUPERVISOR, Floor, report_body
from tests.support.dispatch.model import MINUTE, Report
from tests.support.samples import NOW, sample
from tests.support.services.reports import EPISODES

PRESS: Final = "press-7"
OPERATOR: Final = str(Roster(OPERATORS, SUPERVISOR).operator_for(PRESS))
MATERIAL: Final = chain(
    "material", ["call:material"], step(0, "assigned"), step(1, "duty:supervisor"), step(2, MANAGER, every=3, times=1)
)
RAISED: Final = "call-raised"


@pytest.fixture
def chained(floor: Floor) -> Floor:
    """A floor with one machine, whose factory has a chain for calls for material."""
    floor.restart(PRESS)
    put_chains(floor, MATERIAL)
    return floor


def id_of(number: int) -> str:
    return f"00000000-0000-0000-0000-{number:012}"


def body_of_call(event_type: str, minute: float, *, number: int = 1, **said: object) -> str:
    wire, at_ms = sample("domain", event_type), NOW + round(minute * MINUTE)
    call = {**wire["call"], "id": id_of(number), "equipmentId": PRESS, "raisedAt": times.to_utc(NOW), **said}
    event = wire | {"id": f"{number} {event_type} {at_ms}", "timestamp": at_ms, "partitionKey": PRESS, "call": call}
    return to_message(DomainEvent.from_wire(event), source="calls")


def hear(floor: Floor, event_type: str, minute: float, **said: object) -> None:
    """Let the fact of a call arrive at its own time, or now, if that is later."""
    floor.now_ms = max(floor.now_ms, NOW + round(minute * MINUTE))
    floor.deliver([body_of_call(event_type, minute, **said)])  # type: ignore[arg-type]
    floor.settle()


def steps(floor: Floor) -> list[tuple[int, int, str, float]]:
    return [(one.step, one.repeat, one.person, one.at_minute) for one in asked(floor, PRESS, "Calls")]


FIRST: Final = (1, 0, OPERATOR, 0)


def test_a_call_begins_the_chains_of_its_category_and_nobody_is_forgotten(chained: Floor) -> None:
    hear(chained, RAISED, 0)
    hear(chained, RAISED, 0, number=2, category="quality")
    assert steps(chained) == [FIRST]

    chained.wait_until(NOW + 60 * MINUTE)

    assert steps(chained) == [FIRST, (2, 0, SUPERVISOR, 1), (3, 0, MANAGER, 2), (3, 1, MANAGER, 5)]
    published = [one for one in chained.table.published if one["DetailType"] == "help-requested"]
    helps = [json.loads(one["Detail"])["help"] for one in published]
    assert {(one["what"], one["since"]) for one in helps} == {("material", times.to_utc(NOW))}
    assert all(one["about"] == {"callId": id_of(1), "equipmentId": PRESS} for one in helps)


@pytest.mark.parametrize("end", ["call-taken", "call-closed", "call-rejected"])
def test_who_has_seen_a_call_ends_its_chain(chained: Floor, end: str) -> None:
    hear(chained, RAISED, 0)
    hear(chained, end, 0.5)
    chained.wait_until(NOW + 60 * MINUTE)

    assert steps(chained) == [FIRST]


def test_another_call_that_is_taken_ends_the_chain_of_no_other(chained: Floor) -> None:
    put_chains(chained, {**MATERIAL, "on": ["call:material", "call:quality"]}, version=1)
    hear(chained, RAISED, 0)
    hear(chained, RAISED, 0, number=2, category="quality")
    hear(chained, "call-taken", 0.5, number=2, category="quality")
    chained.wait_until(NOW + 60 * MINUTE)

    assert [one[:2] for one in steps(chained)] == [(1, 0), (1, 0), (2, 0), (3, 0), (3, 1)]


def test_a_machine_that_is_normal_again_and_its_logs_leave_a_call_open(chained: Floor) -> None:
    hear(chained, RAISED, 0)
    chained.report(PRESS, Report(NOW + 1_000, "ERROR", NOW + 1_000))
    chained.acknowledge(PRESS, "ERROR", NOW + 1_000)
    chained.report(PRESS, Report(NOW + 2_000, "NORMAL", NOW + 2_000))
    chained.settle()
    chained.wait_until(NOW + 60 * MINUTE)

    assert len(steps(chained)) == 4
    assert asked(chained, PRESS) == []


def test_a_call_that_comes_an_hour_late_asks_all_the_same_unless_somebody_has_seen_it(chained: Floor) -> None:
    """A machine in trouble reports again; a person waits."""
    chained.now_ms = NOW + 60 * MINUTE
    hear(chained, RAISED, 0)
    assert steps(chained) == [(1, 0, OPERATOR, 60)]

    hear(chained, "call-taken", 7, number=2, category="material")
    hear(chained, RAISED, 6, number=2)
    chained.wait_until(NOW + 61 * MINUTE + 50_000)

    assert [one[0] for one in steps(chained)] == [1, 2]


def test_calls_stand_in_no_episode_of_the_machine(chained: Floor) -> None:
    chained.report(PRESS, Report(NOW, "STOPPED", NOW))
    before = chained.request(EPISODES, path={"id": PRESS})[1]
    hear(chained, RAISED, 1)
    chained.wait_until(NOW + 10 * MINUTE)

    assert len(steps(chained)) == 4
    assert chained.request(EPISODES, path={"id": PRESS})[1] == before


def test_where_nobody_is_on_duty_for_a_call_that_is_a_fact_and_the_supervisor_is_asked(chained: Floor) -> None:
    put_chains(chained, {**MATERIAL, "steps": [step(0, "duty:manager")]}, version=1)

    hear(chained, RAISED, 0)

    assert [one[2] for one in steps(chained)] == [SUPERVISOR]
    assert [row["about"]["callId"] for row in nobody(chained, PRESS, "Calls")] == [id_of(1)]


def test_calls_ask_the_same_whatever_order_they_come_in_and_however_often(floor: Floor) -> None:
    """Two calls, one of them twice, and a report of the machine: one is asked at each step of each, once."""

    def begin() -> None:
        floor.restart(PRESS)
        put_chains(floor, {**MATERIAL, "on": ["call:material", "call:quality", "ERROR"]})
        floor.now_ms = NOW + 2_000

    def arrive(body: str) -> None:
        floor.deliver([body])
        floor.settle()
        floor.now_ms += 1_000

    def end() -> str:
        floor.wait_until(NOW + 30 * MINUTE)
        of_calls, of_logs = (asked(floor, PRESS, of) for of in ("Calls", "Equipment"))
        return json.dumps(sorted([one.state, one.step, one.repeat, one.person] for one in of_calls + of_logs))

    again = OrderedStep("material", partial(arrive, body_of_call(RAISED, 0)))
    other = OrderedStep("quality", partial(arrive, body_of_call(RAISED, 0.01, number=2, category="quality")))
    report = OrderedStep("report", partial(arrive, report_body(PRESS, Report(NOW, "ERROR", NOW + 2_000))))

    ends = ends_of_every_order(
        [again, again, other, report], begin=begin, end=end, state=State(floor.kept, floor.put_back)
    )

    each = [[1, 0, OPERATOR], [2, 0, SUPERVISOR], [3, 0, MANAGER], [3, 1, MANAGER]]
    whole = sorted([what, *one] for what in ("material", "quality", "ERROR") for one in each)
    assert [json.loads(one) for one in ends] == [whole], ends
