import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.received import Received
from andon.runtime.errors import Poison
from andon.tools.console.emulated import API, Sample, Samples, samples_of, statistic
from andon.tools.console.widgets import Metric, Statistic, logged
from andon.views.ledger import Result, line_of
from andon.views.outcome import Outcome
from toys.clock import NOW
from toys.things import happened

COUNTED = Metric("Andon", "received", (("stage", "dev"), ("view", "board")))
MINUTE_MS = 60_000

figures = st.integers(0, 1000)
times = st.integers(NOW - 10 * MINUTE_MS, NOW + MINUTE_MS)
samples = st.lists(st.builds(Sample, st.just(COUNTED), times, figures))
parts = st.integers(1, 60)


def all_of(listed: list[Sample]) -> Samples:
    made = Samples()
    made.add(listed)
    return made


@pytest.fixture(autouse=True)
def namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Andon")


@given(samples, parts)
def test_the_parts_of_a_trend_add_up_to_the_sum_and_the_rate_times_the_time_does_too(
    listed: list[Sample], number: int
) -> None:
    since_ms = NOW - 5 * MINUTE_MS
    counted = sum(sample.value for sample in listed if since_ms <= sample.at_ms < NOW)

    trend = all_of(listed).trend(COUNTED, since_ms=since_ms, until_ms=NOW, parts=number)
    rate = all_of(listed).per_second(COUNTED, since_ms=since_ms, until_ms=NOW)

    assert len(trend) == number
    assert sum(trend) == counted
    assert math.isclose(rate * 5 * 60, counted)


@given(samples, times)
def test_what_is_forgotten_was_too_old_to_be_shown(listed: list[Sample], since_ms: int) -> None:
    kept = all_of(listed)
    kept.forget(before_ms=since_ms)

    for name in ("Sum", "Maximum", "p50"):
        shown = Statistic(COUNTED, name)
        assert kept.statistic(shown, since_ms=since_ms) == all_of(listed).statistic(shown, since_ms=since_ms)


@given(st.lists(figures, min_size=1, max_size=50), st.sampled_from([50, 90, 99]))
def test_a_percentile_is_the_least_value_that_as_many_do_not_exceed(values: list[int], share: int) -> None:
    found = statistic(values, f"p{share}")

    assert found in values
    assert sum(value <= found for value in values) * 100 >= share * len(values)
    assert sum(value < found for value in values) * 100 < share * len(values)


def test_without_values_a_sum_is_0_and_nothing_else_is_known() -> None:
    assert [statistic([], name) for name in ("Sum", "Maximum", "p99")] == [0, None, None]


def test_the_line_of_a_batch_has_all_its_figures() -> None:
    results = [
        Result(Received("m1"), Outcome.APPLIED, happened("painted", "x"), taken_ms=NOW - 7),
        Result(Received("m2"), Outcome.APPLIED, happened("painted", "y"), taken_ms=NOW - 9),
        Result(Received("m3"), Outcome.FAULT, error=Poison()),
    ]
    line = json.loads(json.dumps(line_of(results, view="board", now_ms=NOW) | {"stage": "dev"}))

    found = [*samples_of(line, log_group="BoardLogs", logged_ms=NOW + 1)]

    assert Sample(logged("received", "BoardLogs"), NOW + 1, 3) in found
    assert Sample(Metric("Andon", "unprocessed", (("stage", "dev"), ("view", "board"))), NOW, 1) in found
    lag = [sample.value for sample in found if sample.metric == Metric("Andon", "lag", (("stage", "dev"),))]
    assert lag == [7, 9]


@pytest.mark.parametrize(
    ("status", "names"), [(201, ["Count"]), (404, ["Count", "4xx"]), (500, ["Count", "5xx"]), (None, [])]
)
def test_the_line_of_a_request_counts_as_the_api_counts(status: int | None, names: list[str]) -> None:
    line = {"message": "GET /faults", "status": status}

    found = [one for one in samples_of(line, log_group="", logged_ms=NOW) if one.metric.namespace == API]

    assert found == [Sample(Metric(API, name), NOW, 1) for name in names]
