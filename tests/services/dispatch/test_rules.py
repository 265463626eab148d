"""Decisions of dispatch where rosters, places and settings change; all else about its rules is the model's.

See test_histories. `minute` is counted from `NOW`.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract.duty import Roster
from demo.people import ANN, EVA, LIZ, SUE, TOM
from tests.support.dispatch.floor import SUPERVISOR, Floor
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
    floor.register(press, "another-factory")

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
    floor.staff("another-factory", supervisor=TOM)
    says(floor, press, (0, "ERROR"))

    floor.now_ms = ms(5)
    floor.register(press, "another-factory")

    assert [one.says for one in decided(floor, press, "escalation")] == [TOM]


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
    roster = Roster((LIZ, SUE, ANN, EVA), SUPERVISOR)

    chosen = [roster.operator_for(f"press-{number}") for number in range(1_000)]

    assert all(200 <= chosen.count(name) <= 300 for name in roster.operators)


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


def test_what_was_late_is_in_the_story_and_assigned_and_decides_nothing_else(floor: Floor, press: str) -> None:
    says(floor, press, (5, "ERROR"))
    floor.report(press, Report(ms(0), "WARNING1", ms(5) + HOLD_BACK + 1))

    assert decided(floor, press, "equipment-at-risk") == []
    assert minutes(decided(floor, press, "escalation")) == [20]
    assert minutes(decided(floor, press, "assignment")) == [5, 0]
    (episode,) = floor.request(EPISODES, path={"id": press})[1]["items"]
    assert episode["startedAt"] == "2020-04-28T00:00:00.000Z"


def test_a_silence_ends_although_a_report_of_its_last_millisecond_came_late(floor: Floor, press: str) -> None:
    says(floor, press, (0, "NORMAL"))
    says(floor, press, (30, "NORMAL"), delay_ms=10 * MINUTE)
    assert minutes(decided(floor, press, "equipment-silent", by_minute=41)) == [30]
    assert decided(floor, press, "equipment-back", by_minute=41) == []

    says(floor, press, (42, "NORMAL"))

    assert minutes(decided(floor, press, "equipment-back", by_minute=43)) == [42]


def test_the_hold_back_is_as_long_as_the_environment_says(
    floor: Floor, press: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLD_BACK_SECONDS", "2")
    says(floor, press, (0, "ERROR"))

    assert decided(floor, press, "escalation", by_minute=15 + 13.999 / 60) == []
    assert minutes(decided(floor, press, "escalation", by_minute=15 + 14 / 60)) == [15]
