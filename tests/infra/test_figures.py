"""Figures in pages are those of the templates; `make figures` writes them."""

import json
from pathlib import Path

import pytest

from andon.testing.synthesised import Synthesised
from andon.tools import figures
from contract import logs
from tests.support.infra.synthesised import PROJECT, rolls_back

PAGES = figures.pages(PROJECT)
KEPT = json.loads(figures.KEPT.read_text())
WRITTEN_BY_HAND = (
    "docs/**/*.md",
    "functions/services/*/*.md",
    "gateway/**/*.*",
    "functions/**/*.py",
    "functions/pages/**/*.js",
    "library/andon/**/*.py",
)


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

    assert {"prod.alarms", "all.steadyTables", "all.batchRates", "all.designsLived"} <= named
    assert {"contract.logs.TTL_DAYS", "andon.rules.sweep.EVERY_SECONDS"} <= named


def test_page_and_gateway_name_constants() -> None:
    naming = {page.parent.name for page in PAGES if figures.CODE_MARK.search(page.read_text())}

    assert naming == {"page", "andon_gateway"}


def test_only_what_stands_between_marks_is_written_anew() -> None:
    page = "12 of <!-- dev.alarms -->11<!-- / --> and <!-- dev.tables --><!-- / -->, 11"

    filled = figures.filled(page, {"dev": {"alarms": 12, "tables": 3}})

    assert filled == "12 of <!-- dev.alarms -->12<!-- / --> and <!-- dev.tables -->3<!-- / -->, 11"
    with pytest.raises(LookupError, match=r"no figure dev\.alarms"):
        figures.filled(page, {"dev": {}})


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("<!-- contract.logs.TTL_DAYS -->1<!-- / --> days", "<!-- contract.logs.TTL_DAYS -->33<!-- / --> days"),
        ("const A = 1; // contract.logs.TTL_DAYS\n", "const A = 33; // contract.logs.TTL_DAYS\n"),
        ("A: Final = DAY * 1_0  # andon.http.page.MAX_LIMIT", "A: Final = DAY * 1_000  # andon.http.page.MAX_LIMIT"),
        ("A = 1  # see contract.logs.TTL_DAYS", "A = 1  # see contract.logs.TTL_DAYS"),
    ],
)
def test_a_constant_is_written_where_a_file_names_it(text: str, filled: str) -> None:
    assert figures.filled(text, {}) == filled


@pytest.mark.parametrize("name", ["contract.logs.NO_DAYS", "contract.nothing.TTL_DAYS"])
def test_no_file_names_a_constant_that_there_is_not(name: str) -> None:
    with pytest.raises((AttributeError, ImportError), match=name.split(".")[1]):
        figures.filled(f"A = 1  # {name}", {})


def test_no_text_says_the_days_of_a_log_by_itself() -> None:
    days = f"{logs.TTL_DAYS} days"
    files = [
        file
        for room in WRITTEN_BY_HAND
        for file in PROJECT.glob(room)
        if file.suffix != ".pyc" and days in file.read_text()
    ]

    assert files == []


def test_alarms_of_two_metrics_are_those_that_end_deployments(aws: Synthesised) -> None:
    ending = [made for made in aws.of_type("AWS::CloudWatch::Alarm").values() if rolls_back(made)]

    assert {figures.metrics_of(made) for made in ending} == {2}
    assert len(ending) == figures.figures_of(aws)["alarmsOfTwo"]


def test_dollars_are_paid_for_each_metric() -> None:
    learnt = {"Metrics": [{"MetricStat": {}}, {"Expression": "ANOMALY_DETECTION_BAND(m)"}], "ThresholdMetricId": "band"}
    ratio = {"Metrics": [{"MetricStat": {}}, {"MetricStat": {}}, {"Expression": "a/b"}]}

    assert [figures.metrics_of(alarm) for alarm in ({"MetricName": "x"}, ratio, learnt)] == [1, 2, 3]
