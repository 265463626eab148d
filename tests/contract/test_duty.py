"""Who is on duty, by the clock on the wall: somebody in each quarter of an hour of a year, and never two shifts."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
import tzdata  # type: ignore[import-untyped]
from hypothesis import example, given
from hypothesis import strategies as st

from andon.runtime import times
from andon.runtime.clock import DAY_MS
from contract.duty import (
    DAY_MINUTES,
    DAYS,
    WEEK_MINUTES,
    Override,
    Roster,
    Shift,
    overlapping_shifts,
    role_overridden_twice,
)
from contract.zones import wall_time

QUARTER_MS: Final = 15 * 60_000
YEAR_BEGINS_MS: Final = times.to_ms("2026-01-01T00:00:00Z")
QUARTERS: Final = range(YEAR_BEGINS_MS, YEAR_BEGINS_MS + 365 * 96 * QUARTER_MS, QUARTER_MS)

# Clocks that jump by an hour, in the north and in the south, by half an hour, and never; one is no whole hour from UTC.
ZONEINFO: Final = Path(tzdata.__file__).with_name("zoneinfo")
ZONES: Final = ("Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "America/Mexico_City", "Asia/Kathmandu")

PAPER: Final = {"operators": ["op-1"], "supervisor": "sv-1", "timezone": "Europe/Berlin"}


def shift(name: str, begin: str, end: str, *operators: str, days: str = " ".join(DAYS), **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"name": name, "days": days.split(), "from": begin, "to": end, "operators": list(operators), **more}


def roster_of(*shifts: dict[str, Any], **more: Any) -> Roster:  # noqa: ANN401
    return Roster.of(PAPER | {"shifts": list(shifts)} | more)


THREE: Final = (
    shift("early", "06:00", "14:00", "op-11"),
    shift("late", "14:00", "22:00", "op-12"),
    shift("night", "22:00", "06:00", "op-13"),
)


def clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"


@st.composite
def whole_cycles(draw: st.DrawFn) -> tuple[int, list[dict[str, Any]]]:
    """Cut one or two weeks into shifts of at most a day that leave no gap; each is a shift of its own."""
    weeks = draw(st.integers(1, 2))
    cycle = weeks * WEEK_MINUTES
    cuts = {number * DAY_MINUTES + draw(st.integers(0, 5)) * 15 for number in range(7 * weeks)}
    cuts |= set(draw(st.lists(st.integers(0, cycle // 15 - 1).map(lambda quarter: quarter * 15), max_size=12)))
    in_order = sorted(cuts)
    parts = [*pairwise([*in_order, in_order[0] + cycle])]
    found = []
    for number, (begin, end) in enumerate(part for whole in parts for part in _within_a_day(*whole)):
        day = begin // DAY_MINUTES
        begins, ends = clock(begin % DAY_MINUTES), clock(end % DAY_MINUTES)
        found.append(shift(f"s{number}", begins, ends, f"op-{10 + number}", days=DAYS[day % 7], week=day // 7 + 1))
    return weeks, found


def _within_a_day(begin: int, end: int) -> list[tuple[int, int]]:
    """Cut what is longer than a day: a shift is not."""
    return [(begin, end)] if end - begin <= DAY_MINUTES else [(begin, begin + 720), (begin + 720, end)]


@pytest.mark.parametrize("zone", ZONES)
def test_each_quarter_of_an_hour_of_a_year_has_one_shift_by_the_clock_on_the_wall(zone: str) -> None:
    """Whoever was there at 21:59 is relieved at 22:00 in the nights, too, in which the clock jumps."""
    roster = roster_of(*THREE, timezone=zone)
    by_hour = {
        hour: ("op-11",) if 6 <= hour < 14 else ("op-12",) if 14 <= hour < 22 else ("op-13",) for hour in range(24)
    }

    wrong = [at_ms for at_ms in QUARTERS if roster.at(at_ms).operators != by_hour[wall_time(at_ms, zone).hour]]

    assert wrong == []


@given(whole_cycles(), st.sampled_from(ZONES), st.dates(datetime(2020, 1, 1).date(), datetime(2030, 1, 1).date()))  # noqa: DTZ001  a day
def test_shifts_that_leave_no_gap_are_never_nobody_and_never_two(
    cycle: tuple[int, list[dict[str, Any]]],
    zone: str,
    anchor: Any,  # noqa: ANN401  a date
) -> None:
    weeks, shifts = cycle
    roster = roster_of(*shifts, timezone=zone, weeks=weeks, anchor=anchor.isoformat())

    assert overlapping_shifts(roster.shifts, weeks) is None
    # Each minute of the cycle: an instant shows one of them, so that no other may be missing.
    for minute in range(0, weeks * WEEK_MINUTES, 15):
        assert [one.is_at(minute, weeks) for one in roster.shifts].count(True) == 1
    for at_ms in (*QUARTERS[8_200:8_500], *QUARTERS[28_500:28_800]):  # the nights of March and October
        assert len(roster.at(at_ms).operators) == 1


def _jumps() -> Iterator[tuple[str, int]]:
    """Yield each clock of the layer, and each night of 2026 in which it jumps, by the midnight in UTC before."""
    days = range(YEAR_BEGINS_MS, YEAR_BEGINS_MS + 366 * DAY_MS, DAY_MS)
    clocks = {
        (ZONEINFO / zone).read_bytes(): zone for zone in ZONEINFO.with_name("zones").read_text().split()
    }  # zones may have one clock
    for zone in clocks.values():
        shown = [wall_time(day, zone).time() for day in days]
        yield from ((zone, days[number]) for number, pair in enumerate(pairwise(shown)) if pair[0] != pair[1])


def test_in_each_night_in_which_any_clock_jumps_the_shift_is_that_of_the_clock() -> None:
    """Shifts of half an hour: whatever hour is left out, or comes twice, each instant has the one that it shows."""
    halves = [shift(f"s{n}", clock(30 * n), clock(30 * (n + 1) % DAY_MINUTES), f"op-{n:02}") for n in range(48)]
    roster = roster_of(*halves)
    nights = [*_jumps()]
    lengths = set()

    for zone, midnight in nights:
        there, now = roster._replace(timezone=zone), range(midnight, midnight + DAY_MS, 2 * QUARTER_MS)
        shown = [wall_time(at_ms, zone) for at_ms in now]
        expected = [(f"op-{one.hour * 2 + one.minute // 30:02}",) for one in shown]
        assert [there.at(at_ms).operators for at_ms in now] == expected, zone
        lengths.add(round((shown[-1] - shown[0]).total_seconds() / 60) - (DAY_MINUTES - 30))
    assert len(nights) > 100
    assert {60, -60, 30, -30} <= lengths, lengths


@pytest.mark.parametrize(
    ("at", "operator"),
    [
        ("2026-03-29T00:45:00Z", "op-13"),  # 01:45, a quarter before the clock jumps to 03:00
        ("2026-03-29T01:00:00Z", "op-13"),  # 03:00
        ("2026-03-29T03:59:59Z", "op-13"),  # 05:59
        ("2026-03-29T04:00:00Z", "op-11"),  # 06:00: the night had seven hours
        ("2026-10-25T00:30:00Z", "op-13"),  # 02:30 for the first time
        ("2026-10-25T01:30:00Z", "op-13"),  # 02:30 for the second time
        ("2026-10-25T04:59:59Z", "op-13"),  # 05:59
        ("2026-10-25T05:00:00Z", "op-11"),  # 06:00: the night had nine hours
    ],
)
def test_a_night_is_as_long_as_the_clock_says(at: str, operator: str) -> None:
    assert roster_of(*THREE).at(times.to_ms(at)).operators == (operator,)


def test_weeks_take_turns_from_the_week_of_the_anchor_in_both_directions() -> None:
    first, second = (shift(f"week-{week}", "00:00", "00:00", f"op-1{week}", week=week) for week in (1, 2))
    roster = roster_of(first, second, weeks=2, anchor="2026-11-25", timezone="UTC")  # a Wednesday
    monday = datetime(2026, 11, 23, tzinfo=UTC)

    found = [roster.at(times.to_ms((monday + timedelta(weeks=n)).isoformat())).operators for n in (-3, -2, -1, 0, 1, 2)]

    assert found == [("op-12",), ("op-11",), ("op-12",), ("op-11",), ("op-12",), ("op-11",)]
    sunday = times.to_ms((monday - timedelta(minutes=1)).isoformat())
    assert roster.at(sunday).operators == ("op-12",)


def test_a_shift_of_a_line_goes_before_the_one_of_all_lines_and_a_gap_has_nobody() -> None:
    roster = roster_of(
        shift("all", "06:00", "14:00", "op-11", days="mon", supervisor="sv-2"),
        shift("of-line", "08:00", "10:00", "op-12", days="mon", lines=["line-3"]),
        timezone="UTC",
        manager="mg-01",
    )
    nine, noon, evening = (times.to_ms(f"2026-11-23T{hour}:00:00Z") for hour in ("09", "12", "20"))

    assert roster.at(nine, "line-3")[:3] == (("op-12",), "sv-1", "mg-01")
    assert roster.at(nine, "line-4")[:3] == (("op-11",), "sv-2", "mg-01")
    assert roster.at(nine)[:3] == (("op-11",), "sv-2", "mg-01")
    assert roster.at(noon, "line-3")[:3] == (("op-11",), "sv-2", "mg-01")
    assert roster.at(evening, "line-3")[:3] == ((), None, "mg-01")


@pytest.mark.parametrize("role", ["operator", "supervisor", "manager"])
def test_an_override_is_instead_of_its_role_until_it_ends_also_in_a_gap(role: str) -> None:
    override = {"from": "2026-11-23T20:00", "to": "2026-11-23T21:00", "role": role, "person": "op-99"}
    roster = roster_of(shift("all", "06:00", "14:00", "op-11"), overrides=[override], timezone="UTC", manager="mg-01")
    nobody = ((), None, "mg-01")
    place = ("operator", "supervisor", "manager").index(role)
    expected: list[object] = [*nobody]
    expected[place] = ("op-99",) if role == "operator" else "op-99"

    found = [
        roster.at(times.to_ms(f"2026-11-23T{clock}Z"))[:3] for clock in ("19:59:59", "20:00:00", "20:59:59", "21:00:00")
    ]

    assert found == [nobody, tuple(expected), tuple(expected), nobody]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 95), st.integers(1, 96)), min_size=2, max_size=6))
@example([(0, 0, 4), (6, 95, 4)])  # the last of a cycle and the first of the next
def test_shifts_overlap_where_a_minute_would_have_two(cut: list[tuple[int, int, int]]) -> None:
    shifts = [
        Shift(f"s{number}", frozenset({day}), quarter * 15, lasts * 15, None, frozenset(), ("op-1",), None)
        for number, (day, quarter, lasts) in enumerate(cut)
    ]

    crowded = any([one.is_at(minute, 1) for one in shifts].count(True) > 1 for minute in range(0, WEEK_MINUTES, 15))

    assert (overlapping_shifts(shifts, 1) is not None) == crowded


def test_a_role_is_overridden_twice_if_two_take_it_over_at_one_time() -> None:
    first = Override("2026-11-23T06:00", "2026-11-23T10:00", "operator", "op-1")

    assert (
        role_overridden_twice([first, first._replace(begin="2026-11-23T09:59", end="2026-11-23T12:00")]) == "operator"
    )
    assert role_overridden_twice([first, first._replace(begin="2026-11-23T10:00", end="2026-11-23T12:00")]) is None
    assert role_overridden_twice([first, first._replace(role="manager")]) is None


def test_a_roster_of_before_has_everybody_at_any_time() -> None:
    roster = Roster.of({"factoryId": "gdl-1", "operators": ["op-17", "op-18"], "supervisor": "sv-03"})

    assert all(roster.at(at_ms, "line-3") == roster for at_ms in QUARTERS[::997])
    assert roster == Roster(("op-17", "op-18"), "sv-03")


def test_somebody_erased_is_on_no_shift_and_takes_over_nothing() -> None:
    override = {"from": "2026-11-23T20:00", "to": "2026-11-23T21:00", "role": "operator", "person": "op-99"}
    roster = roster_of(shift("all", "00:00", "00:00", "op-11", "op-12", supervisor="sv-2"), overrides=[override])
    evening = times.to_ms("2026-11-23T19:30:00Z")

    assert roster.at(evening).operators == ("op-99",)
    assert {*roster.people} == {"op-1", "sv-1", "op-11", "op-12", "sv-2", "op-99"}
    left = roster.without({"op-99", "op-11", "sv-2"})
    assert left.at(evening)[:2] == (("op-12",), "sv-1")
