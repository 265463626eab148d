import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.received import Received
from andon.runtime.errors import Poison
from andon.views.ledger import Result, failures, line_of
from andon.views.outcome import Outcome
from tests.support.samples import NOW
from toys.things import happened


@pytest.fixture(autouse=True)
def namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Andon")


results = st.builds(
    lambda outcome, number, kind: Result(
        Received(f"message-{number}"),
        outcome,
        happened(kind, "x") if kind else None,
        taken_ms=NOW - number if kind else None,
    ),
    st.sampled_from(Outcome),
    st.integers(0, 99),
    st.sampled_from(["painted", "weighed", None]),
)


@given(st.lists(results, max_size=20))
def test_each_message_has_one_outcome_and_is_counted_once_more_by_its_type(
    batch: list[Result],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Andon")
        line = line_of(batch, view="things", now_ms=NOW)

    assert line["received"] == len(batch) == sum(line[outcome.value] for outcome in Outcome)
    for outcome in Outcome:
        of_types = [result for result in batch if result.outcome is outcome and result.event]
        assert sum(line.get(f"thing-{kind}.{outcome}", 0) for kind in ("painted", "weighed")) == len(of_types)
    assert len(line.get("lag", [])) == sum(result.outcome is Outcome.APPLIED and bool(result.event) for result in batch)


@given(st.lists(results, max_size=20))
def test_only_what_failed_comes_again(batch: list[Result]) -> None:
    assert failures(batch) == [result.received for result in batch if result.outcome is Outcome.FAILED]


def test_every_figure_of_the_line_but_those_by_type_is_a_metric_and_every_metric_is_a_figure_of_the_line() -> None:
    line = line_of(
        [
            Result(Received("m1"), Outcome.APPLIED, happened("painted", "x", at=NOW - 70_000), taken_ms=NOW - 7),
            Result(Received("m2"), Outcome.FAULT, error=Poison()),
        ],
        view="things",
        now_ms=NOW,
    )

    (directive,) = line["_aws"]["CloudWatchMetrics"]
    metrics = {metric["Name"]: metric["Unit"] for metric in directive["Metrics"]}
    by_type = {name for name in line if "." in name}  # as metrics they would cost $0.30 a month each
    assert by_type
    assert metrics.keys() == line.keys() - {"_aws", "view", "errors"} - by_type
    assert metrics["lag"] == "Milliseconds"
    assert set(metrics.values()) == {"Milliseconds", "Count"}
    assert directive["Dimensions"] == [["view", "stage"]]
    assert directive["Namespace"] == "Andon"
    assert (line["lag"], line["errors"], line["_aws"]["Timestamp"]) == ([7], ["Poison"], NOW)
    json.dumps(line)


def test_a_batch_of_which_nothing_was_applied_has_no_lag() -> None:
    line = line_of([Result(Received("m1"), Outcome.STALE, happened("painted", "x"))], view="things", now_ms=NOW)

    assert "lag" not in line
    assert "lag" not in json.dumps(line["_aws"])


def test_edits_of_another_version_are_counted_as_crossed_or_overtaken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Andon")
    outcomes = [Outcome.APPLIED, Outcome.APPLIED, Outcome.STALE, Outcome.COMPACTED, Outcome.DUPLICATE, Outcome.FAILED]
    edited = happened("painted", "x")
    batch = [Result(Received("m"), outcome, edited, taken_ms=NOW - 7, origin="workshop2") for outcome in outcomes]

    line = line_of(
        [*batch, Result(Received("own"), Outcome.APPLIED, edited, taken_ms=NOW - 9)], view="things", now_ms=NOW
    )

    assert (line["workshop2.applied"], line["workshop2.overtaken"]) == (2, 2)
    assert (line["workshop2.lag"], line["lag"]) == ([7, 7], [7, 7, 9])
    named = {one["Name"] for one in line["_aws"]["CloudWatchMetrics"][0]["Metrics"]}
    assert {"workshop2.applied", "workshop2.overtaken", "workshop2.lag"} <= named
