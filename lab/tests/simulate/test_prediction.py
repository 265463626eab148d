import numpy as np
import pytest

from lab.simulate import limits
from lab.simulate.model import FleetModel
from lab.simulate.money import of_a_million, of_a_month
from lab.simulate.prediction import Load, arrivals, backlog, predict
from lab.simulate.report import report

SIXTY_THOUSAND = Load(machines=60_000, hours=1)


def test_reports_that_no_clock_holds_in_step_are_all_taken() -> None:
    came = arrivals(SIXTY_THOUSAND, throttle=400, burst=800)

    assert came.taken.sum() == came.sent == pytest.approx(720_000, rel=0.01)
    assert came.refused == 0


def test_what_is_refused_comes_again_and_none_is_lost() -> None:
    on_the_clock = Load(machines=60_000, hours=1, spread_s=30)

    came = arrivals(on_the_clock, throttle=400, burst=800)

    assert came.taken.max() == 800 + 400  # a full bucket, and what runs in meanwhile
    assert came.refused > 0
    assert came.taken.sum() == pytest.approx(came.sent, rel=0.02)


def test_what_cannot_be_taken_waits() -> None:
    assert backlog(np.array([3.0, 3.0, 0.0, 0.0]), 2.0).tolist() == [1, 2, 0, 0]


def test_at_sixty_thousand_machines_all_is_in_time_and_no_partition_is_too_hot(model: FleetModel) -> None:
    found = predict(model, SIXTY_THOUSAND)

    assert found.lag.p99 < 5_000
    assert max(one.units_per_s for one in found.partitions) < limits.PARTITION_WRITES
    assert found.late
    assert max(one.longest for one in found.late.values()) < 90_000


def test_a_normal_report_costs_dispatch_two_write_units_at_most(model: FleetModel) -> None:
    units = sum(units for name, units in model.counted.write_units.items() if name.startswith("dispatch "))

    assert units <= 2


def test_a_report_writes_nothing_to_the_one_partition_of_a_company(model: FleetModel) -> None:
    assert "ByPlace" not in {one.place.index_name for one in predict(model, SIXTY_THOUSAND).partitions}


def test_at_a_million_it_names_what_must_be_bought(model: FleetModel) -> None:
    found = predict(model, Load(machines=1_000_000, hours=0.1))

    named = {one.limit.quota for one in found.exceeded}
    assert "the API's own throttle" in named  # of a stage that is made for 400 reports a second
    assert limits.BUS_ENTRIES.quota not in named
    text = report(model, found)
    assert "to be bought" in text
    assert f"{limits.NEW_TABLE_WRITES.quota}" in text


def test_fuller_batches_cost_less_and_a_month_has_all_its_parts(model: FleetModel) -> None:
    assert of_a_million(model, 200).total < of_a_million(model, 3).total
    month = of_a_month(model, 200)
    assert min(month.reports, month.kept, month.idle) > 0
    assert month.total == month.reports + month.recording + month.kept + month.idle
