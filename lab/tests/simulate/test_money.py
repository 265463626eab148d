"""Laws of a million reports' bill: whatever the prices are, and whatever a report writes."""

from dataclasses import fields, replace
from typing import Any

import pytest

from andon.cdk.capacity import ON_DEMAND, PROVISIONED, USED, Capacity, Place
from andon.cdk.target import Target
from andon.packages.discovery import packages
from andon.runtime import strict_json
from andon.runtime.log import STAGE, with_metrics
from andon.testing.memory.meter import TableOrIndex
from andon.tools.figures import ALARMS_OF_POLICY
from lab import prices
from lab.prices import MILLION, total
from lab.simulate import bills, idle, limits
from lab.simulate.bills import GOALS, JUDGED, RATE, STAGES, Bill, report, reserved
from lab.simulate.counted import Counted, Fleet, PackageMetric, Way, count, metrics_in
from lab.simulate.idle import alarms_of_scaling
from lab.simulate.model import (
    HOUR_S,
    PLANNED_OVER_USUAL,
    FleetModel,
    at_first,
    new_throughput,
    provisioned_places,
    settings,
    steady_places,
    target_of,
)
from lab.simulate.money import of_a_million, of_a_month
from lab.simulate.recorded import of_a_day

USED_UP = MILLION / HOUR_S  # hours of a unit in which it does a million requests
WRITE_RATIO = prices.WRITE_HOUR.for_(USED_UP) / prices.WRITE_UNIT.dollars
READ_RATIO = prices.READ_HOUR.for_(USED_UP) / prices.READ_UNIT.dollars
NO_LEAST = Capacity(least=0, seldom=0, shown=0, first=4_000, most=100_000)  # as many partitions as on demand
SCHEMAS = {table: schema for package in packages() for table, schema in package.tables.items()}
ABNORMAL = 0.1


@pytest.fixture(scope="module")
def mixed(model: FleetModel) -> FleetModel:
    """The calls of every function for a fleet of which one report in ten is not NORMAL, in the judged stage."""
    counted = count(Fleet(machines=12, seconds=900, abnormal=ABNORMAL))
    return FleetModel(counted, model.idle, target_of("prod", capacity=PROVISIONED))


class WithoutLeast(Target):
    """A target with `NO_LEAST`, whatever its stage says."""

    capacity = NO_LEAST


def without_least(model: FleetModel, *, used: float | None = None) -> FleetModel:
    """The same that was counted, with `NO_LEAST`."""
    target = WithoutLeast(**{one.name: getattr(model.target, one.name) for one in fields(Target)})
    return replace(model, used=used or model.used, target=target)


def with_settings(model: FleetModel, **changed: Any) -> FleetModel:  # noqa: ANN401  any
    """The same that was counted, in a stage that differs."""
    return replace(model, target=replace(model.target, stage=replace(model.target.stage, **changed)))


def test_parts_add_up_and_none_is_below_zero(model: FleetModel) -> None:
    parts = of_a_million(model, RATE)

    assert parts.total == pytest.approx(sum(parts._asdict().values()))
    assert min(parts) >= 0


@pytest.mark.parametrize("used", [1.0, USED / 100, 0.2])
def test_a_steady_load_costs_the_ratio_of_the_prices_divided_by_what_is_used(model: FleetModel, used: float) -> None:
    on_demand = of_a_million(model, RATE)
    provisioned = of_a_million(without_least(model, used=used), RATE)

    assert provisioned.writes == pytest.approx(on_demand.writes * WRITE_RATIO / used)
    assert provisioned.reads == pytest.approx(on_demand.reads * READ_RATIO / used)
    assert provisioned._replace(writes=0, reads=0) == on_demand._replace(writes=0, reads=0)


def test_what_a_table_has_at_least_is_paid_whether_it_is_used_or_not(model: FleetModel) -> None:
    provisioned = with_settings(model, capacity=PROVISIONED)
    capacity = provisioned.target.capacity

    hardly, much = (of_a_million(provisioned, rate).writes for rate in (1, RATE))

    assert capacity
    units = capacity.least * len(provisioned_places(provisioned.target))
    assert hardly == pytest.approx(prices.WRITE_HOUR.for_(units * USED_UP))
    assert hardly > of_a_million(model, 1).writes > much


def test_a_stage_without_tracing_has_no_traces(model: FleetModel) -> None:
    assert of_a_million(with_settings(model, traced=False), RATE).traces == 0


def test_the_first_call_of_each_second_is_traced_and_one_in_twenty_of_the_others(model: FleetModel) -> None:
    def share(rate: float) -> float:
        parts = of_a_million(with_settings(model, traced=True), rate)
        return (parts.traces / prices.TRACE.dollars) / (parts.invocations / prices.INVOCATION.dollars)

    assert share(0.001) == pytest.approx(1)
    assert limits.TRACED < share(1_000_000) < 1.01 * limits.TRACED < share(RATE) < 1


def test_a_trail_is_paid_for_where_there_is_one_and_changes_nothing_else(model: FleetModel) -> None:
    unwatched, watched = (with_settings(model, data_trail=trailed) for trailed in (False, True))

    assert of_a_million(unwatched, RATE).trail == 0 < of_a_million(watched, RATE).trail
    assert of_a_million(watched, RATE)._replace(trail=0) == of_a_million(unwatched, RATE)
    more = of_a_month(watched, RATE).idle - of_a_month(unwatched, RATE).idle
    assert more == pytest.approx(prices.DATA_EVENT.for_(30 * of_a_day().total))


def test_alarms_that_follow_the_load_cost_as_any_other(model: FleetModel) -> None:
    provisioned = without_least(model)

    assert alarms_of_scaling(model) == 0
    assert alarms_of_scaling(provisioned) == 2 * ALARMS_OF_POLICY * len(provisioned_places(provisioned.target))
    more = of_a_month(provisioned, RATE).idle - of_a_month(model, RATE).idle
    assert more == pytest.approx(prices.ALARM.for_(alarms_of_scaling(provisioned)))


def test_what_is_steady_is_what_every_report_writes_and_reads(model: FleetModel) -> None:
    written, read = (
        {place for place, count in units.items() if count >= 1} for units in (model.write_units(), model.read_units())
    )

    assert {name for name, schema in SCHEMAS.items() if schema.steady} == {place.table for place in written}
    assert {place for place, one in steady_places().items() if one.writes_steadily} == written
    assert {place for place, one in steady_places().items() if one.reads_steadily} == read
    assert set(steady_places()) == {
        TableOrIndex(place.table, index) for place in written for index in ("", *SCHEMAS[place.table].indexes)
    }


def test_what_a_table_has_at_first_is_enough_for_the_planned_load_and_at_most_for_the_worst(
    model: FleetModel, mixed: FleetModel
) -> None:
    capacity, takes = mixed.target.capacity, mixed.target.reports.per_second

    assert capacity
    for kind, normal, units in (
        ("writes", model.write_units(), mixed.write_units()),
        ("reads", model.read_units(), mixed.read_units()),
    ):
        for place, steady in provisioned_places(mixed.target).items():
            usual = units.get(place, 0.0)
            worst = normal.get(place, 0.0) + (usual - normal.get(place, 0.0)) / ABNORMAL
            assert usual * takes / PLANNED_OVER_USUAL <= getattr(capacity.first_of(steady), kind) * mixed.used
            assert worst * takes <= capacity.most


@pytest.mark.parametrize("reports", [400, 1_000, 6_667, 10_000])
@pytest.mark.parametrize("mode", [ON_DEMAND, PROVISIONED])
def test_what_is_new_takes_twice_the_load_that_a_stage_is_planned_for(
    mixed: FleetModel, mode: str, reports: int
) -> None:
    target = target_of("prod", reports / PLANNED_OVER_USUAL, capacity=mode)
    most = Capacity.of(PROVISIONED, 10**9)

    assert most
    for place, units in mixed.write_units().items():
        if place in steady_places() and steady_places()[place].writes_steadily:
            asked = min(2 * units * reports / PLANNED_OVER_USUAL, most.first)
            assert new_throughput(target, place).writes >= asked / 1.1


def test_all_tables_of_a_new_stage_stay_below_the_quota_of_the_account() -> None:
    for rate in (1, 200, 5_000):
        begins = at_first(target_of("prod", rate, capacity=PROVISIONED))
        assert 0 < max(begins) < limits.ACCOUNT_WRITES


def test_what_is_not_known_to_be_used_is_a_small_part_of_what_a_stage_begins_with() -> None:
    target = target_of("prod", capacity=PROVISIONED)
    unknown = [place for place in steady_places().values() if place == Place()]

    assert target.capacity
    assert unknown
    for place in unknown:
        assert max(target.capacity.first_of(place)) * 40 <= target.capacity.first


def test_a_stage_for_more_machines_differs_by_one_setting_only() -> None:
    usual, larger = target_of("prod"), target_of("prod", 3_333)

    assert larger.reports.per_second == PLANNED_OVER_USUAL * 3_333
    assert larger.sweeps_at_once > usual.sweeps_at_once
    stage = replace(larger.stage, reports_per_second=usual.stage.reports_per_second)
    assert replace(larger, stage=stage) == usual
    assert target_of("prod", 1) == usual


def test_a_reservation_saves_on_capacity_only(mixed: FleetModel) -> None:
    parts = of_a_million(mixed, RATE)
    paid = reserved(parts)

    assert paid.writes == pytest.approx(parts.writes * (1 - prices.RESERVED_SAVES))
    assert paid._replace(writes=0, reads=0) == parts._replace(writes=0, reads=0)


def test_each_way_to_report_is_counted_once_and_priced_in_each_stage(
    model: FleetModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleets: list[Fleet] = []

    def noted(fleet: Fleet) -> Counted:
        fleets.append(fleet)
        return replace(model.counted, fleet=fleet)

    monkeypatch.setattr(bills, "count", noted)  # all of it takes a minute

    priced = bills.bills(bills.count_ways())

    assert len(fleets) == len(set(fleets)) == len(GOALS) + len(Way) + 1  # the last is a stage without machines
    assert {(bill.stage, bill.goal, bill.normal.counted.fleet.way) for bill in priced} == {
        (stage, goal, way) for stage in STAGES for way, goal in GOALS.items()
    }
    assert {(bill.normal.counted.fleet.abnormal, bill.mixed.counted.fleet.abnormal) for bill in priced} == {
        (0, ABNORMAL)
    }
    assert {name for name, _ in STAGES.values()} == set(settings())


def test_the_report_has_every_stage_and_judges_one(model: FleetModel, mixed: FleetModel) -> None:
    made = tuple(
        Bill(
            stage,
            "a PUT each",
            goal,
            *(replace(one, target=target_of(of, capacity=capacity)) for one in (model, mixed)),
        )
        for stage, (of, capacity) in STAGES.items()
        for goal in (0, 1_000)
    )

    said = report(made)

    assert all(f"{stage}: " in said for stage in STAGES)
    assert said.count("MISSED") == said.count(": met") == 1
    assert f"{JUDGED}, a PUT each: goal ≤ $0.00: MISSED" in said
    assert "dev: on demand; traced" in said
    assert "prod at first: on demand; not traced" in said
    assert "prod, load known: capacity 70% used, if the load never jumps" in said


def test_a_metric_is_each_name_in_a_line_by_its_dimension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Andon")
    counts = {"view": "board", STAGE: "dev", "late": 1, "unprocessed": 0, "lag": [7]}
    line = with_metrics(counts, ["late", "unprocessed"], dimension="view", of_all=["lag"], now_ms=0)

    assert [*metrics_in(strict_json.dumps(line), "board")] == [
        PackageMetric("view", "board", "late"),
        PackageMetric("", "", "lag"),
    ]
    assert [*metrics_in('{"message": "answered"}', "board")] == []


def test_where_all_is_well_the_only_metric_is_the_lag_and_where_nothing_happens_there_is_none(counted: Counted) -> None:
    assert {metric.name for metric in counted.metrics} == {"lag"}


def test_a_metric_more_costs_the_price_of_one(model: FleetModel) -> None:
    def dollars(metrics: frozenset[PackageMetric]) -> float:
        return of_a_month(replace(model, counted=replace(model.counted, metrics=metrics)), RATE).idle

    sampled = model.counted.metrics

    more = dollars(sampled | {PackageMetric("view", "board", "new")}) - dollars(sampled)
    assert more == pytest.approx(prices.METRIC.dollars)


@pytest.mark.parametrize("stage", sorted(idle.GOALS))
def test_a_month_in_which_nothing_happens_costs_no_more_than_its_goal(model: FleetModel, stage: str) -> None:
    quiet = replace(model, target=target_of(stage))

    assert quiet.idle.metrics == frozenset()
    assert total(idle.idle(quiet, 0)) <= idle.GOALS[stage]
    assert idle.runs_of_an_hour(quiet) == idle.deployed(quiet, "runsAnHour")
