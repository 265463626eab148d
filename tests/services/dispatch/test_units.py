"""The cost of a report to dispatch in write units, counted. It fails if the timers are taken out."""

import pytest

from andon.rules.rule import Rules
from andon.rules.timing import Later
from services.dispatch import control
from services.dispatch.control import CONTROL
from tests.support.crash_points import calls_of
from tests.support.dispatch.floor import Floor
from tests.support.dispatch.model import MINUTE, Report
from tests.support.samples import NOW

HOURS = 7  # in which each timer is renewed
EVERY = 5 * MINUTE

WRITES = {"PutItem", "UpdateItem", "DeleteItem"}
"""Each costs a unit, if the row is small, also if its condition fails."""


def units(floor: Floor, press: str, *, abnormal_every: int, every: int = EVERY, held_up: int = 0) -> float:
    """Return the write units of a report, everything that follows from it included."""
    reports = HOURS * 60 * MINUTE // every

    def day() -> None:
        for number in range(1, reports + 1):
            at_ms = NOW + number * every
            floor.report(press, Report(at_ms, "NORMAL" if number % abnormal_every else "WARNING1", at_ms + held_up))

    return sum(call in WRITES for call in calls_of(day)) / reports


@pytest.mark.parametrize("held_up", [0, 20_000, 90_000], ids=["at once", "20 s later", "90 s later"])
def test_a_normal_report_costs_two_write_units_at_most(floor: Floor, press: str, held_up: int) -> None:
    found = units(floor, press, abnormal_every=10_000, held_up=held_up)

    print(f"a normal report, {held_up / 1000:g} s held up: {found:.2f} write units")  # noqa: T201
    assert found <= 1.5


def test_reports_that_one_in_ten_is_abnormal_of_cost_what_the_bench_says(floor: Floor, press: str) -> None:
    found = units(floor, press, abnormal_every=10)

    print(f"one of ten abnormal: {found:.2f} write units")  # noqa: T201
    assert found <= 2.2


def test_without_timers_a_normal_report_costs_five(floor: Floor, press: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = tuple(
        rule._replace(timing=rule.timing if rule.timing.gap_ms is None else Later(rule.after_ms))
        for rule in CONTROL.rules.all
    )
    without = CONTROL._replace(rules=Rules(CONTROL.rules.source, CONTROL.rules.types, rules))
    monkeypatch.setattr(control, "CONTROL", without)

    assert units(floor, press, abnormal_every=10_000) > 4.8
