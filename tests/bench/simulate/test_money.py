"""Laws of the bill: whatever the prices are, and whatever a report writes."""

from dataclasses import replace
from typing import Any

import pytest

from andon.cdk.capacity import USED, Capacity
from andon.packages.discovery import packages
from andon.testing.memory.meter import TableOrIndex
from andon.tools.figures import ALARMS_OF_POLICY
from bench import prices
from bench.simulate import bills, limits
from bench.simulate.bills import JUDGED, RATE, Bill, report, reserved
from bench.simulate.capacity import provisioned_places
from bench.simulate.counted import Counted, Fleet
from bench.simulate.model import FleetModel
from bench.simulate.money import MILLION, alarms_of_scaling, of_a_million, of_a_month
from bench.simulate.recorded import of_a_day
from bench.simulate.sample import count
from bench.simulate.settings import PLANNED_OVER_USUAL, stages, target_of

WRITE_RATIO = prices.PROVISIONED_WRITE.dollars / prices.WRITE_UNIT.dollars
READ_RATIO = prices.PROVISIONED_READ.dollars / prices.READ_UNIT.dollars
NO_LEAST = Capacity(least=0, shown=0, first=3_000, most=100_000)  # as many partitions as on demand
SCHEMAS = {table: schema for package in packages() for table, schema in package.tables.items()}
ABNORMAL = 0.1


@pytest.fixture(scope="module")
def mixed(model: FleetModel) -> FleetModel:
    """The calls of every function for a fleet of which one report in ten is not NORMAL, in the judged stage."""
    return FleetModel(count(Fleet(machines=12, seconds=1_800, abnormal=ABNORMAL)), model.idle, target_of(JUDGED))


def with_settings(model: FleetModel, *, used: float | None = None, **changed: Any) -> FleetModel:  # noqa: ANN401  any
    """The same that was counted, in a stage that differs."""
    return replace(model, used=used or model.used, target=replace(model.target, **changed))


def test_parts_add_up_and_none_is_below_zero(model: FleetModel) -> None:
    parts = of_a_million(model, RATE)

    assert parts.total == pytest.approx(sum(parts._asdict().values()))
    assert min(parts) >= 0


@pytest.mark.parametrize("used", [1.0, USED / 100, 0.2])
def test_a_steady_load_costs_the_ratio_of_the_prices_divided_by_what_is_used(model: FleetModel, used: float) -> None:
    on_demand = of_a_million(model, RATE)
    provisioned = of_a_million(with_settings(model, capacity=NO_LEAST, used=used), RATE)

    assert provisioned.writes == pytest.approx(on_demand.writes * WRITE_RATIO / used)
    assert provisioned.reads == pytest.approx(on_demand.reads * READ_RATIO / used)
    assert provisioned._replace(writes=0, reads=0) == on_demand._replace(writes=0, reads=0)


def test_what_a_table_has_at_least_is_paid_whether_it_is_used_or_not(model: FleetModel) -> None:
    capacity = Capacity.of("PROVISIONED", model.target.reports.per_second)
    provisioned = with_settings(model, capacity=capacity)

    hardly, much = (of_a_million(provisioned, rate).writes for rate in (1, RATE))

    assert capacity
    units = capacity.least * len(provisioned_places(provisioned.target))
    assert hardly == pytest.approx(units * prices.PROVISIONED_WRITE.dollars)
    assert hardly > of_a_million(model, 1).writes > much


def test_a_stage_without_tracing_has_no_traces(model: FleetModel) -> None:
    assert of_a_million(with_settings(model, traced=False), RATE).traces == 0


def test_the_first_call_of_each_second_is_traced_and_one_in_twenty_of_the_others(model: FleetModel) -> None:
    def share(rate: float) -> float:
        parts = of_a_million(with_settings(model, traced=True), rate)
        return (parts.traces / prices.TRACE.dollars) / (parts.invocations / prices.INVOCATION.dollars * MILLION)

    assert share(0.001) == pytest.approx(1)
    assert limits.TRACED.value < share(1_000_000) < 1.01 * limits.TRACED.value < share(RATE) < 1


def test_a_trail_is_paid_for_where_there_is_one_and_changes_nothing_else(model: FleetModel) -> None:
    unwatched, watched = (with_settings(model, trailed=trailed) for trailed in (False, True))

    assert of_a_million(unwatched, RATE).trail == 0 < of_a_million(watched, RATE).trail
    assert of_a_million(watched, RATE)._replace(trail=0) == of_a_million(unwatched, RATE)
    more = of_a_month(watched, RATE).idle - of_a_month(unwatched, RATE).idle
    assert more == pytest.approx(30 * of_a_day() / MILLION * prices.DATA_EVENT.dollars)


def test_alarms_that_follow_the_load_cost_as_any_other(model: FleetModel) -> None:
    provisioned = with_settings(model, capacity=NO_LEAST)

    assert alarms_of_scaling(model) == 0
    assert alarms_of_scaling(provisioned) == 2 * ALARMS_OF_POLICY * len(provisioned_places(provisioned.target))
    more = of_a_month(provisioned, RATE).idle - of_a_month(model, RATE).idle
    assert more == pytest.approx(alarms_of_scaling(provisioned) * prices.ALARM.dollars)


def test_a_table_is_steady_if_and_only_if_every_report_writes_to_it(model: FleetModel) -> None:
    written = {place.table for place, units in model.write_units().items() if units >= 1}

    assert written == {name for name, schema in SCHEMAS.items() if schema.steady}
    assert provisioned_places(with_settings(model, capacity=NO_LEAST).target) == {
        TableOrIndex(table, index) for table in written for index in ("", *SCHEMAS[table].indexes)
    }


def test_what_a_table_has_at_first_is_enough_for_the_planned_load_and_at_most_for_the_worst(
    model: FleetModel, mixed: FleetModel
) -> None:
    capacity, takes = mixed.target.capacity, mixed.target.reports.per_second

    assert capacity
    for normal, units in ((model.write_units(), mixed.write_units()), (model.read_units(), mixed.read_units())):
        for place in provisioned_places(mixed.target):
            usual = units.get(place, 0.0)
            worst = normal.get(place, 0.0) + (usual - normal.get(place, 0.0)) / ABNORMAL
            assert usual * takes / PLANNED_OVER_USUAL <= capacity.first * mixed.used
            assert worst * takes <= capacity.most


def test_all_tables_of_a_new_stage_stay_below_the_quota_of_the_account() -> None:
    steady = [schema for schema in SCHEMAS.values() if schema.steady]
    places = sum(1 + len(schema.indexes) for schema in steady)

    for reports in (1, 400, 10_000, 100_000):
        capacity = Capacity.of("PROVISIONED", reports)
        assert capacity
        assert capacity.first * places < limits.ACCOUNT_WRITES.value


def test_a_stage_for_more_machines_differs_by_one_setting_only() -> None:
    usual, larger = target_of(JUDGED), target_of(JUDGED, 3_333)

    assert larger.reports.per_second == PLANNED_OVER_USUAL * 3_333
    assert larger.sweeps_at_once > usual.sweeps_at_once
    assert replace(larger, reports=usual.reports, capacity=usual.capacity) == usual
    assert target_of(JUDGED, 1) == usual


def test_a_reservation_saves_on_capacity_only(mixed: FleetModel) -> None:
    parts = of_a_million(mixed, RATE)
    paid = reserved(parts)

    assert paid.writes == pytest.approx(parts.writes * (1 - prices.RESERVED_SAVES))
    assert paid._replace(writes=0, reads=0) == parts._replace(writes=0, reads=0)


def test_each_way_to_report_is_counted_once_and_priced_in_each_stage(
    model: FleetModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[Fleet] = []

    def noted(fleet: Fleet) -> Counted:
        counted.append(fleet)
        return replace(model.counted, fleet=fleet)

    monkeypatch.setattr(bills, "count", noted)  # all of it takes a minute

    priced = bills.bills()

    assert len(counted) == len(set(counted)) == 5  # the fifth is a stage without machines
    assert {(bill.stage, bill.goal, bill.normal.counted.fleet.batched) for bill in priced} == {
        (stage, goal, batched) for stage in stages() for goal, batched in ((7.5, False), (4.5, True))
    }
    assert {(bill.normal.counted.fleet.abnormal, bill.mixed.counted.fleet.abnormal) for bill in priced} == {
        (0, ABNORMAL)
    }


def test_the_report_has_every_stage_and_judges_one(model: FleetModel, mixed: FleetModel) -> None:
    made = tuple(
        Bill(
            stage,
            "a PUT each",
            goal,
            *(replace(one, target=target_of(stage)) for one in (model, mixed)),
        )
        for stage in stages()
        for goal in (0, 1_000)
    )

    said = report(made)

    assert all(f"{stage}: a PUT each" in said for stage in stages())
    assert said.count("MISSED") == said.count(": met") == 1
    assert f"{JUDGED}, a PUT each: goal ≤ $0.00: MISSED" in said
    assert "dev: on demand; traced" in said
    assert "prod: capacity 70% used, if the load never jumps" in said
