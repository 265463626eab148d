"""What dispatch decides by itself, rule by rule; `minute` is counted from `NOW`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.dispatch.roster import Roster
from tests.support.dispatch.floor import OPERATORS, SUPERVISOR, Floor, report_body
from tests.support.dispatch.model import HOLD_BACK, MINUTE, Decided, Report
from tests.support.samples import NOW
from tests.support.services.reports import EPISODES

SECOND = 1_000
MILLISECOND = 1 / MINUTE

Said = tuple[float, str]


def ms(minute: float) -> int:
    return NOW + round(minute * MINUTE)


def says(floor: Floor, press: str, *said: Said, delay_ms: int = 0) -> None:
    """Let a press report states, each of which arrives `delay_ms` later."""
    for minute, state in said:
        floor.report(press, Report(ms(minute), state, ms(minute) + delay_ms))


def decided(floor: Floor, press: str, kind: str, *, by_minute: float = 24 * 60) -> list[Decided]:
    """Wait, and tell what was decided of one kind."""
    floor.wait_until(ms(by_minute))
    return [one for one in floor.decided(press) if one.kind == kind]


def minutes(found: list[Decided]) -> list[float]:
    """Return when each decision became true, in minutes from NOW."""
    return [(one.at_ms - NOW) / MINUTE for one in found]


# An operator for each abnormal log


def test_every_abnormal_log_gets_one_and_the_same_operator_at_once(floor: Floor, press: str) -> None:
    says(floor, press, (0, "WARNING1"), (1, "ERROR"), (2, "NORMAL"), (3, "STOPPED"))

    found = decided(floor, press, "assignment", by_minute=3)
    assert [one.key.split("#")[0] for one in found] == ["ERROR", "STOPPED", "WARNING1"]
    assert len({one.says for one in found}) == 1
    assert found[0].says in OPERATORS


def test_a_log_without_a_roster_gets_its_operator_at_the_next_abnormal_report(floor: Floor) -> None:
    floor.table.clear()
    floor.now_ms = NOW
    floor.register("press-7")
    says(floor, "press-7", (0, "WARNING1"), (5, "WARNING1"))
    assert decided(floor, "press-7", "assignment", by_minute=6) == []

    floor.staff()
    says(floor, "press-7", (7, "NORMAL"))
    assert decided(floor, "press-7", "assignment", by_minute=8) == []
    says(floor, "press-7", (10, "ERROR"))

    assert sorted(minutes(decided(floor, "press-7", "assignment", by_minute=11))) == [0, 5, 10]


def test_a_log_of_unknown_equipment_gets_its_operator_when_it_reports_again_and_is_known(floor: Floor) -> None:
    floor.table.clear()
    floor.now_ms = NOW
    floor.staff()
    says(floor, "press-7", (0, "WARNING1"))
    assert decided(floor, "press-7", "assignment", by_minute=1) == []

    floor.register("press-7")
    says(floor, "press-7", (5, "WARNING1"))

    assert minutes(decided(floor, "press-7", "assignment", by_minute=6)) == [0, 5]


def test_equipment_of_a_factory_without_a_roster_gets_nobody(floor: Floor, press: str) -> None:
    floor.now_ms = ms(1)
    floor.register(press, "another factory")

    says(floor, press, (2, "ERROR"), (5, "ERROR"))

    assert decided(floor, press, "assignment") == []
    assert decided(floor, press, "escalation") == []


def test_deleted_equipment_gets_nobody_until_it_is_there_again(floor: Floor, press: str) -> None:
    floor.now_ms = ms(1)
    floor.scrap(press)
    says(floor, press, (2, "ERROR"))
    assert decided(floor, press, "assignment", by_minute=3) == []
    assert decided(floor, press, "escalation", by_minute=4) == []

    floor.register(press)
    says(floor, press, (6, "ERROR"))

    assert minutes(decided(floor, press, "assignment", by_minute=7)) == [2, 6]


def test_equipment_that_moves_is_handed_up_in_its_new_factory(floor: Floor, press: str) -> None:
    floor.staff("another factory", supervisor="Tom")
    says(floor, press, (0, "ERROR"))

    floor.now_ms = ms(5)
    floor.register(press, "another factory")

    assert [one.says for one in decided(floor, press, "escalation")] == ["Tom"]


def test_a_log_from_before_the_window_is_left_alone(floor: Floor, press: str) -> None:
    floor.now_ms = ms(1)
    floor.scrap(press)
    says(floor, press, (2, "ERROR"), (2.5, "ERROR"))
    floor.now_ms = ms(3)
    floor.register(press)

    says(floor, press, (17.5, "ERROR"))

    assert minutes(decided(floor, press, "assignment", by_minute=18)) == [2.5, 17.5]


names = st.lists(st.text(min_size=1, max_size=8), min_size=2, max_size=12, unique=True)


@given(names, st.data(), st.lists(st.text(min_size=1, max_size=8), max_size=30))
def test_who_leaves_a_roster_leaves_only_their_own_equipment_to_others(
    operators: list[str], data: st.DataObject, machines: list[str]
) -> None:
    gone = data.draw(st.sampled_from(operators))
    before = Roster(tuple(operators), SUPERVISOR)
    after = Roster(tuple(data.draw(st.permutations([name for name in operators if name != gone]))), SUPERVISOR)

    for machine in machines:
        if before.operator_for(machine) != gone:
            assert after.operator_for(machine) == before.operator_for(machine)


def test_the_equipment_of_a_factory_is_shared_out_evenly() -> None:
    roster = Roster(("Liz", "Sue", "Ann", "Eve"), SUPERVISOR)

    chosen = [roster.operator_for(f"press-{number}") for number in range(1_000)]

    assert all(200 <= chosen.count(name) <= 300 for name in roster.operators)


# At risk


@pytest.mark.parametrize(
    "said",
    [
        [(0, "WARNING1"), (5, "WARNING1"), (15, "WARNING1")],
        [(0, "STOPPED"), (0, "WARNING1"), (0, "WARNING2")],
        [(0, "WARNING1"), (1, "ERROR")],
        [(0, "WARNING2"), (300, "ERROR1")],
        [(0, "ERROR"), (20, "WARNING1"), (40, "STOPPED"), (60, "ERROR")],
    ],
    ids=str,
)
def test_equipment_is_at_risk_by_its_third_report_in_15_minutes_or_by_an_error_after_a_warning(
    floor: Floor, press: str, said: list[Said]
) -> None:
    says(floor, press, *said)

    (found,) = decided(floor, press, "equipment-at-risk")
    assert found.key == "decision#equipment-at-risk#2020-04-28T00:00:00.000Z"
    assert minutes([found]) == [said[-1][0]]
    assert found.triggers[-1] == (ms(said[-1][0]), said[-1][1])


@pytest.mark.parametrize(
    "said",
    [
        [(0, "WARNING1"), (5, "WARNING1")],
        [(0, "WARNING1"), (5, "WARNING1"), (15 + MILLISECOND, "WARNING1")],
        [(0, "ERROR"), (5, "WARNING1")],
        [(0, "WARNING1"), (1, "NORMAL"), (2, "ERROR")],
        [(0, "WARNING1"), (1, "STOPPED")],
        [(0, "WARNING1"), (1, "WARNING1"), (2, "NORMAL"), (3, "WARNING1")],
        [(0, "NORMAL"), (1, "NORMAL"), (2, "NORMAL")],
    ],
    ids=str,
)
def test_equipment_is_not_at_risk_by_less(floor: Floor, press: str, said: list[Said]) -> None:
    says(floor, press, *said)

    assert decided(floor, press, "equipment-at-risk") == []


def test_equipment_is_at_risk_once_in_an_episode_and_again_in_the_next(floor: Floor, press: str) -> None:
    first = [(minute, "WARNING1") for minute in range(0, 60, 5)]
    says(floor, press, *first, (60, "ERROR"), (61, "NORMAL"), (62, "WARNING1"), (63, "ERROR"), (64, "ERROR"))

    assert minutes(decided(floor, press, "equipment-at-risk")) == [10, 63]


def test_a_report_under_two_event_ids_counts_once(floor: Floor, press: str) -> None:
    says(floor, press, (0, "WARNING1"), (5, "WARNING1"))
    for number, (minute, state) in enumerate([(0, "WARNING1"), (5, "WARNING1"), (5, "WARNING1")]):
        floor.report(press, Report(ms(minute), state, ms(5)), event_id=f"resent {number}")

    assert decided(floor, press, "equipment-at-risk") == []
    assert len(decided(floor, press, "assignment")) == 2


# Escalated


def test_an_episode_is_handed_up_once_however_often_it_is_reported(floor: Floor, press: str) -> None:
    says(floor, press, *((minute, "ERROR") for minute in range(0, 60, 5)), (61, "NORMAL"))

    (found,) = decided(floor, press, "escalation")
    assert found == Decided(
        key="ERROR#2020-04-28T00:00:00.000Z#escalation",
        says=SUPERVISOR,
        at_ms=ms(15),
        triggers=((ms(0), "ERROR"), (ms(15), "ERROR")),
    )


@pytest.mark.parametrize(
    ("minute", "handed_up"), [(14, 0), (15, 0), (15 + MILLISECOND, 1)], ids=["before", "in time", "after"]
)
def test_an_episode_that_is_over_within_15_minutes_is_not_handed_up(
    floor: Floor, press: str, minute: float, handed_up: int
) -> None:
    says(floor, press, (0, "ERROR"), (5, "ERROR"), (minute, "NORMAL"))

    assert len(decided(floor, press, "escalation")) == handed_up


@pytest.mark.parametrize("of", [0, 5, 10])
@pytest.mark.parametrize("by", [10, 15])
def test_an_episode_is_not_handed_up_if_any_of_its_logs_was_acknowledged_in_time(
    floor: Floor, press: str, of: int, by: int
) -> None:
    says(floor, press, (0, "ERROR"), (5, "ERROR"), (10, "ERROR"))
    floor.wait_until(ms(by))
    floor.acknowledge(press, "ERROR", ms(of))
    floor.settle()

    says(floor, press, *((minute, "ERROR") for minute in range(20, 60, 5)))

    assert decided(floor, press, "escalation") == []


def test_what_is_acknowledged_after_it_was_handed_up_stays_so(floor: Floor, press: str) -> None:
    says(floor, press, (0, "ERROR"))
    before = decided(floor, press, "escalation", by_minute=16)

    floor.acknowledge(press, "ERROR", ms(0))
    floor.settle()

    assert decided(floor, press, "escalation") == before != []


def test_an_acknowledgement_of_the_episode_before_is_none_of_this_one(floor: Floor, press: str) -> None:
    says(floor, press, (0, "ERROR"), (1, "NORMAL"), (2, "ERROR"))
    floor.acknowledge(press, "ERROR", ms(0))
    floor.settle()

    assert minutes(decided(floor, press, "escalation")) == [17]


def test_an_acknowledgement_counts_though_the_clock_of_the_equipment_is_ahead(floor: Floor, press: str) -> None:
    floor.report(press, Report(ms(4), "ERROR", ms(0)))
    floor.now_ms = ms(2)
    floor.acknowledge(press, "ERROR", ms(4))
    floor.settle()
    floor.report(press, Report(ms(9), "ERROR", ms(5)))

    assert decided(floor, press, "escalation") == []


def test_an_acknowledgement_counts_though_the_equipment_was_well_a_moment_ago_by_a_clock_that_is_ahead(
    floor: Floor, press: str
) -> None:
    floor.report(press, Report(ms(4), "NORMAL", ms(0)))
    floor.report(press, Report(ms(5), "ERROR", ms(1)))
    floor.now_ms = ms(3)
    floor.acknowledge(press, "ERROR", ms(5))
    floor.settle()

    assert decided(floor, press, "escalation") == []


def test_a_press_that_had_no_roster_is_handed_up_at_a_later_report_if_it_still_is_to_be(floor: Floor) -> None:
    floor.table.clear()
    floor.now_ms = NOW
    floor.register("press-7")
    says(floor, "press-7", (0, "ERROR"), (5, "ERROR"))
    floor.wait_until(ms(17))
    floor.staff()

    (found,) = decided(floor, "press-7", "escalation")

    assert minutes([found]) == [15]
    assert found.triggers == ((ms(0), "ERROR"), (ms(5), "ERROR"))


# Silent, and back


@pytest.mark.parametrize(("minute", "silences"), [(30, []), (30 + MILLISECOND, [30])], ids=["in time", "too late"])
def test_equipment_is_silent_if_it_says_nothing_for_30_minutes(
    floor: Floor, press: str, minute: float, silences: list[float]
) -> None:
    says(floor, press, (0, "NORMAL"), (minute, "NORMAL"))

    assert minutes(decided(floor, press, "equipment-silent", by_minute=60)) == silences
    assert minutes(decided(floor, press, "equipment-back")) == pytest.approx([minute] * len(silences))


def test_equipment_is_silent_once_for_each_time_that_it_stops_talking(floor: Floor, press: str) -> None:
    says(floor, press, (0, "NORMAL"), (100, "ERROR"), (101, "NORMAL"), (200, "NORMAL"))

    assert minutes(decided(floor, press, "equipment-silent")) == [30, 131, 230]
    found = decided(floor, press, "equipment-back")
    assert minutes(found) == [100, 200]
    assert [one.says for one in found] == ["2020-04-28T00:00:00.000Z", "2020-04-28T01:41:00.000Z"]


def test_the_first_report_of_all_is_no_return(floor: Floor, press: str) -> None:
    says(floor, press, (0, "NORMAL"))

    assert decided(floor, press, "equipment-back") == []


def test_equipment_that_was_decided_silent_while_its_report_was_on_its_way_is_back_with_the_next(
    floor: Floor, press: str
) -> None:
    says(floor, press, (0, "NORMAL"))
    says(floor, press, (29, "NORMAL"), delay_ms=3 * MINUTE)
    says(floor, press, (34, "NORMAL"))

    assert minutes(decided(floor, press, "equipment-silent", by_minute=60)) == [30]
    (found,) = decided(floor, press, "equipment-back")
    assert (minutes([found]), found.says) == ([34], "2020-04-28T00:00:00.000Z")


def test_equipment_that_was_decided_silent_is_back_whenever_the_sweep_ran(floor: Floor) -> None:
    def returns(swept_ms: int) -> list[float]:
        floor.restart("press-7")
        says(floor, "press-7", (0, "NORMAL"), (30.1, "NORMAL"))
        floor.now_ms = ms(30.5) + SECOND
        floor.deliver([report_body("press-7", Report(ms(29.9), "NORMAL", floor.now_ms))])
        floor.settle()
        floor.now_ms = swept_ms
        floor.sweep()
        floor.settle()
        says(floor, "press-7", (35, "NORMAL"))
        assert minutes(decided(floor, "press-7", "equipment-silent", by_minute=60)) == [30]
        return minutes(decided(floor, "press-7", "equipment-back"))

    assert returns(ms(30.5) + 5 * SECOND) == returns(ms(31)) != []


# What is late


def test_what_was_late_is_in_the_story_and_assigned_and_decides_nothing_else(floor: Floor, press: str) -> None:
    says(floor, press, (5, "ERROR"))
    floor.report(press, Report(ms(0), "WARNING1", ms(5) + HOLD_BACK + 1))

    assert decided(floor, press, "equipment-at-risk") == []
    assert minutes(decided(floor, press, "escalation")) == [20]
    assert minutes(decided(floor, press, "assignment")) == [5, 0]
    (episode,) = floor.request(EPISODES, path={"id": press})[1]["items"]
    assert episode["startedAt"] == "2020-04-28T00:00:00.000Z"


def test_what_was_not_late_by_a_millisecond_counts(floor: Floor, press: str) -> None:
    says(floor, press, (5, "ERROR"))
    floor.report(press, Report(ms(0), "WARNING1", ms(5) + HOLD_BACK))

    assert minutes(decided(floor, press, "equipment-at-risk")) == [5]
    assert minutes(decided(floor, press, "escalation")) == [15]


def test_what_had_not_come_by_the_time_that_it_was_asked_for_is_not_looked_at_however_late_the_sweep_is(
    floor: Floor, press: str
) -> None:
    for report in (Report(ms(0), "ERROR", ms(0)), Report(ms(14), "NORMAL", ms(15) + HOLD_BACK + 1)):
        floor.now_ms = report.arrived_ms
        floor.deliver([report_body(press, report)])
        floor.settle()
    floor.now_ms = ms(20)

    assert minutes(decided(floor, press, "escalation")) == [15]


def test_what_people_and_rules_do_in_between_makes_no_report_late(floor: Floor, press: str) -> None:
    says(floor, press, (0, "WARNING1"), delay_ms=MINUTE)
    floor.wait_until(ms(5) + SECOND)
    floor.acknowledge(press, "WARNING1", ms(0))
    floor.settle()
    says(floor, press, (5, "ERROR"), (6, "NORMAL"), delay_ms=MINUTE)

    assert minutes(decided(floor, press, "equipment-at-risk")) == [5]


def test_all_that_a_press_kept_for_an_hour_and_reports_at_once_is_decided_upon_in_its_order(
    floor: Floor, press: str
) -> None:
    said = [(0, "WARNING1"), (5, "WARNING1"), (10, "ERROR"), (50, "NORMAL")]
    for number, (minute, state) in enumerate(reversed(said)):
        floor.report(press, Report(ms(minute), state, ms(60) + number * 10 * SECOND))

    assert minutes(decided(floor, press, "equipment-at-risk")) == [10]
    assert minutes(decided(floor, press, "escalation")) == [15]
    assert minutes(decided(floor, press, "equipment-back")) == [50]


def test_the_hold_back_is_as_long_as_the_environment_says(
    floor: Floor, press: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLD_BACK_SECONDS", "2")
    says(floor, press, (0, "ERROR"))

    assert decided(floor, press, "escalation", by_minute=15 + 13.999 / 60) == []
    assert minutes(decided(floor, press, "escalation", by_minute=15 + 14 / 60)) == [15]


# Long stories


def test_an_episode_of_more_than_a_day_is_at_risk_and_handed_up_once(floor: Floor, press: str) -> None:
    says(floor, press, (0, "WARNING1"), (5, "WARNING1"), *((minute, "ERROR") for minute in range(10, 26 * 60, 29)))

    assert minutes(decided(floor, press, "equipment-at-risk", by_minute=3 * 24 * 60)) == [10]
    assert minutes(decided(floor, press, "escalation")) == [15]
