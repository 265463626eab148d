"""Figures in pages are those of the templates; `make figures` writes them."""

import json
from pathlib import Path

import pytest

from andon.testing.synthesised import Synthesised
from andon.tools import figures
from tests.support.infra.synthesised import PROJECT, rolls_back

PAGES = figures.pages(PROJECT)
KEPT = json.loads(figures.KEPT.read_text())


def test_the_figures_that_are_kept_are_those_of_the_templates(dev: Synthesised, prod: Synthesised) -> None:
    current = {
        figures.EVERYWHERE: figures.everywhere(),
        "dev": figures.figures_of(dev),
        "prod": figures.figures_of(prod),
    }

    assert figures.KEPT.read_text() == figures.kept_text(current), "run: make figures"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_the_figures_that_are_kept(page: Path) -> None:
    assert page.read_text() == figures.filled(page.read_text(), KEPT), "run: make figures"


def test_pages_name_figures() -> None:
    named = {mark[1] for page in PAGES for mark in figures.MARK.findall(page.read_text())}

    assert {"prod.alarms", "all.steadyTables", "all.batchRates", "all.aggregates", "all.designsLived"} <= named


def test_only_what_stands_between_marks_is_written_anew() -> None:
    page = "12 of <!-- dev.alarms -->11<!-- / --> and <!-- dev.tables --><!-- / -->, 11"

    filled = figures.filled(page, {"dev": {"alarms": 12, "tables": 3}})

    assert filled == "12 of <!-- dev.alarms -->12<!-- / --> and <!-- dev.tables -->3<!-- / -->, 11"
    with pytest.raises(LookupError, match=r"no figure dev\.alarms"):
        figures.filled(page, {"dev": {}})


def test_alarms_of_two_metrics_are_those_that_end_deployments(aws: Synthesised) -> None:
    ending = [made for made in aws.of_type("AWS::CloudWatch::Alarm").values() if rolls_back(made)]

    assert {figures.metrics_of(made) for made in ending} == {2}
    assert len(ending) == figures.figures_of(aws)["alarmsOfTwo"]


def test_dollars_are_paid_for_each_metric() -> None:
    learnt = {"Metrics": [{"MetricStat": {}}, {"Expression": "ANOMALY_DETECTION_BAND(m)"}], "ThresholdMetricId": "band"}
    ratio = {"Metrics": [{"MetricStat": {}}, {"MetricStat": {}}, {"Expression": "a/b"}]}

    assert [figures.metrics_of(alarm) for alarm in ({"MetricName": "x"}, ratio, learnt)] == [1, 2, 3]
