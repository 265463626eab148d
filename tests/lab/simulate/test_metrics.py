"""Every metric of our own is in the bill: it is counted from a line, or written only while there is trouble."""

from dataclasses import replace

import pytest

from andon.runtime import strict_json
from andon.runtime.metrics import STAGE, with_metrics
from lab import prices
from lab.simulate import idle
from lab.simulate.bills import RATE
from lab.simulate.counted import Counted, PackageMetric, metrics_in
from lab.simulate.idle import GOALS
from lab.simulate.line import total
from lab.simulate.model import FleetModel
from lab.simulate.month import of_a_month
from lab.simulate.settings import target_of


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


@pytest.mark.parametrize("stage", sorted(GOALS))
def test_a_month_in_which_nothing_happens_costs_no_more_than_its_goal(model: FleetModel, stage: str) -> None:
    quiet = replace(model, target=target_of(stage))

    assert quiet.idle.metrics == frozenset()
    assert total(idle.idle(quiet, 0)) <= GOALS[stage]
    assert idle.runs_of_an_hour(quiet) == idle.deployed(quiet, "runsAnHour")
