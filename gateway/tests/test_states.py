from itertools import pairwise
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from andon_gateway.conditions import Condition, Value
from andon_gateway.detail import Detail
from andon_gateway.states import Machine, NoSignal, Report, Rule, due_ms, remembered, step

OIL: Final = ("oil", "stop")
WARNING: Final = Rule(
    "WARNING1",
    when=Condition.parse("oil > 80", OIL),
    until=Condition.parse("oil < 75", OIL),
    detail=Detail.parse("oil at {oil}", OIL),
)
STOPPED: Final = Rule("ERROR", when=Condition.parse("stop", OIL))
NORMAL: Final = Rule("NORMAL")
PRESS: Final = Machine((STOPPED, WARNING, NORMAL))

Values = dict[str, Value]
temperatures: Final = st.lists(st.integers(70, 85), max_size=20)
readings: Final = st.lists(
    st.tuples(
        st.integers(-50, 2000),
        st.fixed_dictionaries({"oil": st.none() | st.integers(70, 85), "stop": st.none() | st.booleans()}),
    ),
    max_size=25,
)


def played(machine: Machine, moments: list[tuple[int, Values]], *, restarted: bool = False) -> list[Report]:
    """The reports of values; each moment: milliseconds since the one before."""
    memory, at_ms, reports = remembered(machine, None, 0), 1_000_000, []
    for passed_ms, values in moments:
        at_ms += passed_ms
        memory, report = step(machine, memory, values, at_ms)
        reports += [report] if report else []
        if restarted:
            memory = remembered(machine, memory.state, memory.reported_ms)
    return reports


@given(temperatures)
def test_a_state_ends_only_behind_its_until(oils: list[int]) -> None:
    expected, is_warned = [], False
    for oil in oils:
        is_warned = oil > 80 or (is_warned and oil >= 75)
        expected.append("WARNING1" if is_warned else "NORMAL")

    reports = played(PRESS, [(1000, {"oil": oil, "stop": False}) for oil in oils])

    changes = [after for before, after in pairwise([None, *expected]) if before != after]
    assert [report.state for report in reports] == changes


@given(temperatures)
def test_a_restart_between_any_two_readings_changes_no_report(oils: list[int]) -> None:
    moments: list[tuple[int, Values]] = [(1000, {"oil": oil, "stop": False}) for oil in oils]

    assert played(PRESS, moments, restarted=True) == played(PRESS, moments)


@given(readings)
def test_nothing_is_reported_while_a_rule_before_the_first_that_holds_is_unknown(
    moments: list[tuple[int, Values]],
) -> None:
    blind = [(passed_ms, {**values, "stop": None}) for passed_ms, values in moments]

    assert played(PRESS, blind) == []


@given(readings)
def test_no_state_is_reported_twice_running_and_times_never_go_back(moments: list[tuple[int, Values]]) -> None:
    reports = played(PRESS, moments)

    assert all(one.state != other.state and one.at_ms <= other.at_ms for one, other in pairwise(reports))


@given(readings, st.integers(1, 3000))
def test_a_condition_has_to_hold_for_its_time_without_a_gap(moments: list[tuple[int, Values]], for_ms: int) -> None:
    machine = Machine((STOPPED._replace(for_ms=for_ms), NORMAL))

    at_ms, newest_ms, since_ms = 1_000_000, 0, None
    may_be_reported = set()
    for passed_ms, values in moments:
        newest_ms = max(newest_ms, at_ms := at_ms + passed_ms)
        since_ms = (newest_ms if since_ms is None else since_ms) if values["stop"] else None
        if since_ms is not None and newest_ms - since_ms >= for_ms:
            may_be_reported.add(newest_ms)
    assert {report.at_ms for report in played(machine, moments) if report.state == "ERROR"} <= may_be_reported


@given(readings)
def test_a_timer_that_is_due_moves_on_when_it_is_stepped(moments: list[tuple[int, Values]]) -> None:
    rules = (STOPPED._replace(for_ms=500), WARNING, NORMAL)
    machine = Machine(rules, repeat_ms=600_000, no_signal=NoSignal(60_000, "NOSIGNAL"))
    memory, at_ms = remembered(machine, None, 0), 1_000_000

    for passed_ms, values in moments:
        at_ms += passed_ms
        memory, _ = step(machine, memory, values, at_ms)
        for _ in range(4):
            if (due := due_ms(machine, memory)) is not None:
                assert due > memory.at_ms
                memory, _ = step(machine, memory, values, at_ms := due)


def test_an_unchanged_state_is_repeated_and_a_machine_without_a_signal_is_said_to_be() -> None:
    machine = Machine((STOPPED, NORMAL), repeat_ms=600_000, no_signal=NoSignal(60_000, "NOSIGNAL"))
    known: Values = {"stop": False}

    reports = played(machine, [(0, known), (599_999, known), (1, known), (1, {}), (59_999, {}), (1, {}), (1, known)])

    begun = 1_000_000
    assert reports == [
        Report("NORMAL", begun),
        Report("NORMAL", begun + 600_000),
        Report("NOSIGNAL", begun + 660_001),
        Report("NORMAL", begun + 660_002),
    ]
