"""Chains: who is asked for help when, and that each is asked once, whatever order reports come in and however often."""

import json
from functools import partial
from typing import Any, Final

import pytest

from andon.runtime import times
from andon.testing.orders import OrderedStep, State, ends_of_every_order
from contract.duty import Roster
from contract.entities.alerts import TICKS
from demo.people import SARA
from services.dispatch.control import RULES
from services.dispatch.rules.trouble import STALE_MS
from tests.support.dispatch.chains import MANAGER, asked, chain, nobody, put_chains, step
from tests.support.dispatch.floor import FACTORY, OPERATORS, SUPERVISOR, Floor, report_body
from tests.support.dispatch.model import HOLD_BACK, MINUTE, Report
from tests.support.samples import NOW
from tests.support.services.reports import EPISODES, STAFF

PRESS: Final = "press-7"
OPERATOR: Final = str(Roster(OPERATORS, SUPERVISOR).operator_for(PRESS))

ERRORS: Final = chain(
    "errors", ["ERROR"], step(0, "assigned"), step(1, "duty:supervisor"), step(2, "mg-01", every=3, times=2)
)


@pytest.fixture
def chained(floor: Floor) -> Floor:
    """A floor with one machine, whose factory has a roster of before and a chain of 0, 1 and 2 minutes."""
    floor.restart(PRESS)
    put_chains(floor, ERRORS)
    return floor


def ms(minute: float) -> int:
    return NOW + round(minute * MINUTE)


def says(floor: Floor, minute: float, state: str, *, late: float = 0) -> None:
    """Let the machine report a state, which arrives some minutes late."""
    floor.report(PRESS, Report(ms(minute), state, ms(minute + late)))


def steps(floor: Floor) -> list[tuple[int, int, str, float]]:
    """Return step, reminder, person and minute of each that was asked."""
    return [(one.step, one.repeat, one.person, one.at_minute) for one in asked(floor, PRESS)]


FIRST: Final = (1, 0, OPERATOR, 0)


def test_a_chain_asks_at_once_and_after_its_minutes_and_reminds(chained: Floor) -> None:
    says(chained, 0, "ERROR")
    assert steps(chained) == [FIRST]

    chained.wait_until(ms(60))

    assert steps(chained) == [
        FIRST,
        (2, 0, SUPERVISOR, 1),
        (3, 0, MANAGER, 2),
        (3, 1, MANAGER, 5),
        (3, 2, MANAGER, 8),
    ]
    assert {one.since for one in asked(chained, PRESS)} == {times.to_utc(NOW)}


@pytest.mark.parametrize("seconds", [1, 30, 59])
@pytest.mark.parametrize("end", ["acknowledged", "normal", "many"])
def test_who_has_seen_it_or_that_it_is_over_ends_a_chain(chained: Floor, end: str, seconds: int) -> None:
    says(chained, 0, "ERROR")
    chained.wait_until(ms(seconds / 60))
    if end == "normal":
        says(chained, seconds / 60, "NORMAL")
    elif end == "acknowledged":
        chained.acknowledge(PRESS, "ERROR", NOW)
    else:
        log = {"equipmentId": PRESS, "state": "ERROR", "timestamp": times.to_utc(NOW)}
        assert chained.request("POST /acknowledgements", body=[log])[0] == 200
    chained.settle()
    chained.wait_until(ms(60))

    assert steps(chained) == [FIRST]


def test_what_ends_it_later_leaves_what_was_asked_and_asks_nobody_else(chained: Floor) -> None:
    says(chained, 0, "ERROR")
    says(chained, 4, "NORMAL")
    chained.wait_until(ms(60))

    assert [one[:2] for one in steps(chained)] == [(1, 0), (2, 0), (3, 0)]


def test_a_log_that_nobody_reported_ends_no_chain_when_it_is_acknowledged(chained: Floor) -> None:
    says(chained, 0, "ERROR")
    chained.acknowledge(PRESS, "WARNING1", ms(0.1))
    chained.settle()
    chained.wait_until(ms(60))

    assert len(steps(chained)) == 5


def test_another_log_of_the_episode_ends_it_when_it_is_acknowledged(chained: Floor) -> None:
    says(chained, 0, "ERROR")
    says(chained, 0.5, "STOPPED")
    chained.acknowledge(PRESS, "STOPPED", ms(0.5))
    chained.settle()
    chained.wait_until(ms(60))

    assert steps(chained) == [FIRST]


def test_an_episode_begins_a_chain_once_and_the_next_one_again(chained: Floor) -> None:
    for minute, state in ((0, "ERROR"), (5, "ERROR"), (10, "STOPPED"), (15, "ERROR"), (40, "ERROR"), (45, "NORMAL")):
        says(chained, minute, state)
    assert [one[:2] for one in steps(chained)] == [(1, 0), (2, 0), (3, 0), (3, 1), (3, 2)]

    says(chained, 50, "ERROR")

    assert steps(chained)[5:] == [(1, 0, OPERATOR, 50)]


def test_what_gets_worse_begins_the_chain_of_that_although_the_first_was_seen(floor: Floor) -> None:
    floor.restart(PRESS)
    put_chains(floor, chain("warnings", ["WARNING*"], step(0, "duty:operator")), ERRORS)
    says(floor, 0, "WARNING1")
    floor.acknowledge(PRESS, "WARNING1", NOW)
    floor.settle()
    says(floor, 3, "WARNING2")
    says(floor, 5, "ERROR")
    floor.wait_until(ms(6.9))

    assert [(one.chain, one.step, one.at_minute) for one in asked(floor, PRESS)] == [
        ("warnings", 1, 0),
        ("errors", 1, 5),
        ("errors", 2, 6),
    ]


def test_chains_are_for_their_lines_and_for_what_they_are_on(floor: Floor) -> None:
    floor.restart(PRESS)
    put_chains(
        floor,
        chain("of-line", ["ERROR"], step(0, "op-91"), lines=["line-4"]),
        chain("of-another", ["ERROR"], step(0, "op-92"), lines=["line-3"]),
        chain("of-warnings", ["WARNING*", "call:material"], step(0, "op-93")),
    )

    says(floor, 0, "ERROR")

    assert [one.person for one in asked(floor, PRESS)] == ["op-91"]


def test_a_report_that_is_older_than_ten_minutes_asks_nobody_and_the_next_one_does(chained: Floor) -> None:
    says(chained, 0, "ERROR", late=STALE_MS / MINUTE + 0.001)
    assert steps(chained) == []

    says(chained, 12, "ERROR")

    assert steps(chained) == [(1, 0, OPERATOR, 12)]


def test_a_late_report_leaves_each_their_minutes(chained: Floor) -> None:
    """Minutes count from when it was known: the second is not asked with the first."""
    says(chained, 0, "ERROR", late=9)

    assert steps(chained) == [(1, 0, OPERATOR, 9)]
    chained.wait_until(ms(9) + MINUTE + HOLD_BACK - 1)
    assert steps(chained) == [(1, 0, OPERATOR, 9)]
    chained.wait_until(ms(12))
    assert steps(chained)[1] == (2, 0, SUPERVISOR, 10)


def test_what_is_over_when_it_becomes_known_asks_nobody(chained: Floor) -> None:
    says(chained, 1, "NORMAL")
    says(chained, 0, "ERROR", late=2)
    chained.wait_until(ms(60))

    assert steps(chained) == []


def test_a_machine_that_went_on_after_a_normal_report_that_came_late_asks_at_its_next_report(chained: Floor) -> None:
    says(chained, 0, "ERROR")
    says(chained, 2, "ERROR")
    says(chained, 1, "NORMAL", late=3)
    says(chained, 5, "ERROR")

    assert [(one.step, one.since) for one in asked(chained, PRESS) if one.step == 1] == [
        (1, times.to_utc(NOW)),
        (1, times.to_utc(ms(5))),
    ]


def test_silence_begins_a_chain_and_any_report_ends_it(floor: Floor) -> None:
    floor.restart(PRESS)
    put_chains(floor, chain("quiet", ["SILENT"], step(0, "duty:operator"), step(5, "duty:supervisor")))
    says(floor, 0, "NORMAL")
    floor.wait_until(ms(34))
    (first,) = asked(floor, PRESS)
    assert (first.state, first.since, first.person) == ("SILENT", times.to_utc(NOW), OPERATOR)
    says(floor, 34, "ERROR")
    floor.wait_until(ms(45))
    assert asked(floor, PRESS) == [first]

    floor.wait_until(ms(90))

    assert [(one.since, one.step) for one in asked(floor, PRESS)[1:]] == [(times.to_utc(ms(34)), n) for n in (1, 2)]


def test_an_acknowledgement_of_the_silence_ends_its_chain(floor: Floor) -> None:
    floor.restart(PRESS)
    put_chains(floor, chain("quiet", ["SILENT"], step(0, "duty:operator"), step(5, "duty:supervisor")))
    says(floor, 0, "NORMAL")
    floor.wait_until(ms(34))
    floor.acknowledge(PRESS, "SILENT", NOW)
    floor.settle()
    floor.wait_until(ms(90))

    assert [one.step for one in asked(floor, PRESS)] == [1]


def shifts(*hours: tuple[str, str, str]) -> list[dict[str, Any]]:
    return [
        {
            "name": f"s{n}",
            "days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
            "from": a,
            "to": b,
            "operators": [op],
        }
        for n, (a, b, op) in enumerate(hours)
    ]


def restaff(floor: Floor, **more: Any) -> None:  # noqa: ANN401
    body = {"operators": list(OPERATORS), "supervisor": SARA, **more}
    answer = floor.request(STAFF, path={"factoryId": FACTORY}, body=body, headers={"if-match": '"1"'})
    assert answer[0] == 200, answer
    floor.settle()


def test_who_is_on_duty_at_the_minute_of_the_step_is_asked(chained: Floor) -> None:
    """NOW is midnight in UTC: 18:00 in Mexico City, or 19:00 as it was in April 2020."""
    put_chains(chained, chain("c", ["ERROR"], step(0, "duty:operator"), step(2, "duty:operator")), version=1)
    restaff(
        chained, timezone="America/Mexico_City", shifts=shifts(("07:00", "19:01", "op-51"), ("19:01", "07:00", "op-52"))
    )

    says(chained, 0, "ERROR")
    chained.wait_until(ms(10))

    assert [one.person for one in asked(chained, PRESS)] == ["op-51", "op-52"]


@pytest.mark.parametrize(
    ("begins", "people"),
    [
        # Back from 03:00 to 02:00 at 01:00Z: at 02:30 the first relieves, then the second comes again, and the first.
        ("2020-10-25T00:29:30.000Z", ["op-51", "op-52", "op-52", "op-51", "op-51", "op-52"]),
        # From 02:00 to 03:00 at 01:00Z: nobody's shift begins at 02:30, and whoever has 03:00 is there.
        ("2020-03-29T00:29:30.000Z", ["op-51", "op-51", "op-51", "op-52", "op-52", "op-52"]),
    ],
)
def test_in_the_nights_in_which_the_clock_jumps_the_right_person_is_asked(
    chained: Floor, begins: str, people: list[str]
) -> None:
    ticks = (0, 1, 30, 45, 60, 75)
    put_chains(chained, chain("c", ["ERROR"], *(step(tick, "duty:operator") for tick in ticks)), version=1)
    restaff(
        chained,
        timezone="Europe/Berlin",
        shifts=shifts(("22:00", "02:30", "op-51"), ("02:30", "06:00", "op-52"), ("06:00", "22:00", "op-53")),
    )
    at_ms = chained.now_ms = times.to_ms(begins)

    chained.report(PRESS, Report(at_ms, "ERROR", at_ms))
    chained.wait_until(at_ms + 80 * MINUTE)

    assert [one.person for one in asked(chained, PRESS)] == people


def test_where_nobody_is_on_duty_that_is_a_fact_and_the_supervisor_of_the_roster_is_asked(chained: Floor) -> None:
    put_chains(chained, chain("c", ["ERROR"], step(0, "assigned"), step(1, "duty:manager")), version=1)
    restaff(chained, shifts=shifts(("08:00", "16:00", "op-51")))

    says(chained, 0, "ERROR")
    chained.wait_until(ms(10))

    assert [(one.step, one.person) for one in asked(chained, PRESS)] == [(1, SARA), (2, SARA)]
    assert [(row["tell"], row["asked"]) for row in nobody(chained, PRESS)] == [
        ("assigned", SARA),
        ("duty:manager", SARA),
    ]
    story = chained.request(EPISODES, path={"id": PRESS})[1]["items"][0]["story"]
    assert sorted((entry["type"], entry.get("person", entry.get("asked"))) for entry in story if "chain" in entry) == [
        *[("help-requested", SARA)] * 2,
        *[("nobody-found", SARA)] * 2,
    ]


def test_chains_without_a_roster_ask_those_whom_they_name(floor: Floor) -> None:
    floor.table.clear()
    floor.now_ms = NOW
    floor.register(PRESS)
    put_chains(floor, chain("c", ["ERROR"], step(0, "op-91"), step(1, "duty:operator")))

    says(floor, 0, "ERROR")
    floor.wait_until(ms(10))

    assert [one.person for one in asked(floor, PRESS)] == ["op-91"]
    assert ["asked" in row for row in nobody(floor, PRESS)] == [False]


def test_nobody_erased_is_asked(chained: Floor) -> None:
    chained.erase(OPERATOR)
    chained.erase(MANAGER)
    second = str(Roster(OPERATORS, SUPERVISOR).without([OPERATOR]).operator_for(PRESS))

    says(chained, 0, "ERROR")
    chained.wait_until(ms(60))

    assert {one.person for one in asked(chained, PRESS)} == {second, SUPERVISOR}
    assert {row["tell"] for row in nobody(chained, PRESS)} == {MANAGER}


def test_whoever_a_person_assigned_is_asked_as_the_assigned_one(chained: Floor) -> None:
    put_chains(chained, chain("c", ["ERROR"], step(0, "assigned"), step(5, "assigned")), version=1)
    says(chained, 0, "ERROR")
    path = {"id": PRESS, "state": "ERROR", "timestamp": times.to_utc(NOW)}
    chained.wait_until(ms(2))
    answer = chained.request(
        "PUT /equipment/{id}/logs/{state}/{timestamp}/assignment", path=path, body={"operator": "op-77"}
    )
    assert answer[0] == 200
    chained.settle()
    chained.wait_until(ms(10))

    assert [one.person for one in asked(chained, PRESS)] == [OPERATOR, "op-77"]


def test_a_factory_without_chains_asks_nobody_and_publishes_nothing_more(floor: Floor, press: str) -> None:
    says(floor, 0, "ERROR")
    floor.wait_until(ms(20))

    assert asked(floor, press) == []
    assert {one["DetailType"] for one in floor.table.published} == {
        *("roster-changed", "operator-assigned", "state-escalated"),
    }


def test_a_chain_asks_the_same_whatever_order_the_reports_of_an_episode_come_in_and_however_often(floor: Floor) -> None:
    """Three reports of one episode, one of them twice, and the chain's end: one is asked at each step, once."""

    def begin() -> None:
        floor.restart(PRESS)
        put_chains(floor, ERRORS)
        floor.now_ms = ms(3)

    def report(minute: float, state: str) -> None:
        floor.deliver([report_body(PRESS, Report(ms(minute), state, floor.now_ms))])
        floor.settle()
        floor.now_ms += 1_000

    order = [(0, "ERROR"), (1, "ERROR"), (2, "ERROR")]
    again = OrderedStep("report 1", partial(report, 1, "ERROR"))
    happen = [
        again if minute == 1 else OrderedStep(f"report {minute}", partial(report, minute, s)) for minute, s in order
    ]

    def end() -> str:
        floor.wait_until(ms(30))
        return json.dumps([[one.chain, one.step, one.repeat, one.person] for one in asked(floor, PRESS)])

    ends = ends_of_every_order([*happen, again], begin=begin, end=end, state=State(floor.kept, floor.put_back))

    whole = [["errors", 1, 0, OPERATOR], ["errors", 2, 0, SUPERVISOR], *(["errors", 3, n, MANAGER] for n in range(3))]
    assert [json.loads(one) for one in ends] == [whole], ends


def test_a_batch_of_a_machine_begins_a_chain_once(chained: Floor) -> None:
    chained.now_ms = ms(3)
    bodies = [report_body(PRESS, Report(ms(minute), "ERROR", ms(3))) for minute in (2, 0, 1)]
    chained.deliver([*bodies, *bodies])
    records = chained.table.new_records()
    for _ in range(2):
        chained.react(records)
    chained.settle()

    assert [(one.step, one.since) for one in asked(chained, PRESS)] == [(1, times.to_utc(NOW))]


def test_each_minute_at_which_somebody_can_be_asked_has_a_rule_and_costs_nothing_where_no_chain_asks() -> None:
    lasting = [rule for rule in RULES.all if rule.id.startswith("lasting-")]

    assert [rule.id for rule in lasting] == [f"lasting-{minutes}" for minutes in TICKS]
    assert [rule.after_ms for rule in lasting] == [minutes * MINUTE for minutes in TICKS]


def test_a_trouble_puts_a_due_row_for_each_of_its_minutes_and_no_more(chained: Floor) -> None:
    before = len(chained.due_times())
    says(chained, 0, "ERROR")

    due = [row for part, rows in chained.table.partitions.items() if part.startswith("due#") for row in rows.values()]
    lasting = sorted(rule["S"] for row in due for rule in row["rules"]["L"] if rule["S"].startswith("lasting-"))
    assert before == 0
    assert lasting == ["lasting-1", "lasting-2", "lasting-5", "lasting-8"]


def test_of_two_troubles_of_an_episode_that_began_at_once_one_goes_on(chained: Floor) -> None:
    """The second report comes while the trouble of the first is on its way to the store, behind a late normal one."""
    chained.deliver([report_body(PRESS, Report(NOW, "ERROR", NOW))])
    chained.react(chained.table.new_records())
    on_its_way = chained.table.new_records()
    chained.now_ms += 1
    chained.deliver([report_body(PRESS, Report(ms(-1), "NORMAL", NOW + 1))])
    chained.now_ms = ms(0.1)
    chained.deliver([report_body(PRESS, Report(ms(0.1), "ERROR", ms(0.1)))])
    chained.react(chained.table.new_records())
    chained.react(on_its_way)
    chained.settle()
    chained.wait_until(ms(60))

    assert [one[:2] for one in steps(chained)] == [(1, 0), (1, 0), (2, 0), (3, 0), (3, 1), (3, 2)]
