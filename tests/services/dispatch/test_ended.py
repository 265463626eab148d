"""That trouble is over: a fact once a machine is back that somebody was asked about, in every order of arrival."""

from collections.abc import Sequence
from itertools import permutations
from typing import Final

import pytest

from andon.dynamodb.attribute_values import to_plain
from andon.runtime import times
from andon.testing.environment import is_quick
from tests.support.dispatch.chains import chain, put_chains, step
from tests.support.dispatch.floor import Floor, report_body
from tests.support.dispatch.model import MINUTE, Report
from tests.support.samples import NOW

PRESS: Final = "press-7"
ERRORS: Final = chain("errors", ["ERROR"], step(0, "assigned"))


@pytest.fixture
def chained(floor: Floor) -> Floor:
    """A floor with one machine, about whose errors somebody is asked."""
    floor.restart(PRESS)
    put_chains(floor, ERRORS)
    return floor


def ms(minute: float) -> int:
    return NOW + round(minute * MINUTE)


def says(floor: Floor, *said: tuple[float, str], arrives: float | None = None) -> None:
    """Let the machine report states at some minutes, which arrive then, or all at one minute."""
    for minute, state in said:
        floor.report(PRESS, Report(ms(minute), state, ms(minute if arrives is None else arrives)))


def ends(floor: Floor) -> list[float]:
    """Return the minutes of the reports at which trouble was over."""
    rows = [to_plain(row) for row in floor.decision_rows().values()]
    found = {row["timestamp"] for row in rows if row["discriminator"] == "trouble-ended"}
    return sorted((times.to_ms(time) - NOW) / MINUTE for time in found)


@pytest.mark.parametrize(
    ("said", "over"),
    [
        ([(0, "ERROR"), (5, "NORMAL"), (6, "NORMAL")], [5]),
        ([(0, "ERROR"), (5, "STOPPED"), (6, "NORMAL")], [6]),
        ([(0, "ERROR"), (5, "NORMAL"), (6, "ERROR"), (7, "NORMAL")], [5, 7]),
        ([(0, "ERROR"), (5 * 24 * 60, "NORMAL")], [5 * 24 * 60]),
        ([(0, "ERROR")], []),
        ([(0, "NORMAL"), (1, "NORMAL")], []),
        ([(0, "STOPPED"), (1, "NORMAL")], []),  # nobody was asked
        pytest.param(
            [(number / 10, "ERROR") for number in range(101)] + [(11, "NORMAL")],
            [11],
            marks=pytest.mark.skipif(is_quick(), reason="a hundred reports"),
        ),
    ],
)
def test_it_is_over_at_the_first_normal_report_if_somebody_was_asked(
    chained: Floor, said: Sequence[tuple[float, str]], over: list[float]
) -> None:
    says(chained, *said)
    chained.settle()
    chained.wait_until(ms(said[-1][0] + 10))

    assert ends(chained) == over


REPORTS: Final = [(0.0, "ERROR"), (1.0, "NORMAL"), (2.0, "ERROR"), (3.0, "NORMAL")]


@pytest.mark.parametrize("arrived", [*permutations(REPORTS)])
@pytest.mark.parametrize("apart", [True, False], ids=["one-by-one", "in-one-batch"])
def test_whatever_order_reports_arrive_in_each_trouble_that_was_opened_is_over(
    chained: Floor, arrived: Sequence[tuple[float, str]], *, apart: bool
) -> None:
    for report in arrived:
        says(chained, report, arrives=4)
        if apart:
            chained.settle()
    chained.settle()
    chained.wait_until(ms(15))

    rows = [to_plain(row) for row in chained.decision_rows().values()]
    opened = [row["timestamp"] for row in rows if row["discriminator"] == "trouble-opened"]
    began = [(times.to_ms(time) - NOW) / MINUTE for time in opened]
    assert all(any(end > since for end in ends(chained)) for since in began)
    assert len(ends(chained)) <= 2


@pytest.mark.parametrize("is_first", [True, False], ids=["report-first", "trouble-first"])
def test_it_is_over_whichever_of_report_and_trouble_the_rules_see_first(chained: Floor, *, is_first: bool) -> None:
    chained.deliver([report_body(PRESS, Report(ms(0), "ERROR", ms(0)))])
    chained.react(chained.table.new_records())  # the trouble is decided, and not remembered yet
    chained.deliver([report_body(PRESS, Report(ms(1), "NORMAL", ms(1)))])
    records = sorted(
        chained.table.new_records(), key=lambda record: ("NORMAL" in str(record["dynamodb"]["Keys"])) != is_first
    )
    for record in records:
        chained.react([record])
    chained.settle()

    assert ends(chained) == [1]


def test_a_machine_that_stays_normal_is_looked_at_by_no_rule_and_its_row_is_as_small_as_before(
    chained: Floor,
) -> None:
    says(chained, *((minute, "NORMAL") for minute in range(5)))
    chained.settle()

    rows = [row for row in chained.table.rows(f"Equipment#{PRESS}") if row.get("discriminator") == "event"]
    assert [row.get("turned", False) for row in rows] == [True, False, False, False, False]
