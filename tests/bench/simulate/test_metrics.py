"""Every metric of our own is in the bill: it is counted from a line, or declared beside what writes it."""

from dataclasses import replace

import pytest

from andon.packages.discovery import recomputed, services, stores
from andon.packages.source import source
from andon.rules.sweep import OLDEST
from andon.rules.verdict import Verdict
from andon.runtime import strict_json
from andon.runtime.metrics import STAGE, directive
from andon.views.outcome import Outcome
from bench import prices
from bench.simulate.bills import RATE
from bench.simulate.counted import UNSAMPLED, Counted, PackageMetric, metrics_in
from bench.simulate.model import FleetModel
from bench.simulate.month import of_a_month

SAMPLED = {
    "andon/events/publish_changes.py",
    "andon/live/push.py",
    "andon/rules/sweep.py",
    "andon/views/ledger.py",
}
DECLARED = {"andon/drift/recompute.py", "andon/stores/archive/sweep_days.py", "andon/stores/lake/batch.py"}
SELDOM = {
    "services/anomalies/current_model.py",
    "andon/ingress/provisioning.py",
    "andon/outbound/sender.py",
    "andon/stores/replays/listener.py",
    "andon/wire/aws.py",
}


def test_whoever_writes_metrics_is_sampled_or_declares_them_or_writes_them_seldom() -> None:
    writers = {
        place.as_posix()
        for file, place in source().files()
        if file.suffix == ".py" and "directive(" in file.read_text()
    }

    assert writers - {"andon/runtime/metrics.py"} == SAMPLED | DECLARED | SELDOM
    assert {metric.package for metric in UNSAMPLED} == {"lake", "archive", *(view.name for view in recomputed())}


def test_a_metric_is_each_name_in_a_line_by_its_dimension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Andon")
    named = directive(dimension="view", counts=["received", "applied"], milliseconds=["lag"], now_ms=0)

    line = strict_json.dumps({"view": "board", STAGE: "dev", "received": 2, "applied": 2, "lag": [7], "_aws": named})

    assert [*metrics_in(line, "board")] == [
        PackageMetric("view", "board", name) for name in ("received", "applied", "lag")
    ]
    assert [*metrics_in('{"message": "answered"}', "board")] == []


def test_what_listeners_sweeps_triggers_and_pushes_write_is_counted(counted: Counted) -> None:
    listeners = {name.removesuffix(" listener") for name in counted.calls if name.endswith(" listener")}
    triggers = {name.removesuffix(" trigger") for name in counted.calls if name.endswith(" trigger")}

    outcomes = {PackageMetric("view", name, one) for name in listeners for one in ("received", *Outcome)}
    published = {PackageMetric("service", name, one) for name in triggers for one in ("records", "published", "fault")}
    swept = {
        PackageMetric("service", service.name, name)
        for service in services()
        if service.plays("sweep")
        for name in (*Verdict, OLDEST)
    }

    assert listeners
    assert triggers
    assert outcomes | published | swept | {PackageMetric("service", "board", "pushed")} <= counted.metrics
    assert {metric.package for metric in counted.metrics} & {store.name for store in stores()} == set()


def test_a_metric_more_costs_the_price_of_one_and_what_is_not_sampled_is_in_the_bill_anyway(model: FleetModel) -> None:
    def idle(metrics: frozenset[PackageMetric]) -> float:
        return of_a_month(replace(model, counted=replace(model.counted, metrics=metrics)), RATE).idle

    sampled = model.counted.metrics

    assert idle(sampled | {PackageMetric("view", "board", "new")}) - idle(sampled) == pytest.approx(
        prices.METRIC.dollars
    )
    assert idle(UNSAMPLED) == idle(frozenset())
