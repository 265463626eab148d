import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.received import Received
from andon.runtime.errors import CallFailed, Poison
from andon.runtime.json_types import JsonObject
from andon.views.ledger import LATE_SECONDS, Result, failures, line_of
from andon.views.outcome import Outcome
from toys.clock import NOW
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


def metrics_of(line: JsonObject) -> dict[str, list[str]]:
    """The names of a line's metrics, by their dimensions."""
    found = line["_aws"]["CloudWatchMetrics"] if "_aws" in line else []
    return {" ".join(*one["Dimensions"]): [metric["Name"] for metric in one["Metrics"]] for one in found}


def test_a_batch_of_which_all_went_well_has_no_metric_but_the_lag_of_all_readers() -> None:
    applied = Result(Received("m1"), Outcome.APPLIED, happened("painted", "x", at=NOW - 70_000), taken_ms=NOW - 7)
    stale = Result(Received("m2"), Outcome.STALE, happened("painted", "x"))

    line = line_of([applied, stale], view="things", now_ms=NOW)

    assert (line["lag"], metrics_of(line)) == ([7], {"stage": ["lag"]})
    [directive] = line["_aws"]["CloudWatchMetrics"]
    assert (directive["Namespace"], line["_aws"]["Timestamp"]) == ("Andon", NOW)
    assert line_of([stale], view="things", now_ms=NOW).keys().isdisjoint({"lag", "_aws"})


def test_messages_that_are_lost_or_late_are_metrics_of_their_view() -> None:
    fault = Result(Received("m1"), Outcome.FAULT, error=Poison())
    failed = [
        Result(Received("m2", number=number), Outcome.FAILED, error=CallFailed("Throttled")) for number in range(3)
    ]
    took = [1_000 * LATE_SECONDS, 1_000 * LATE_SECONDS + 1]
    late = [Result(Received("m3"), Outcome.APPLIED, happened("painted", "x"), taken_ms=NOW - one) for one in took]

    line = line_of([fault, *failed, *late], view="things", now_ms=NOW)

    assert (line["unprocessed"], line["failed"], line["fault"], line["late"]) == (2, 3, 1, 1)
    assert metrics_of(line) == {"view stage": ["late", "unprocessed"], "stage": ["lag"]}
    assert line["errors"] == ["Poison", "Throttled"]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=1_000))
def test_a_line_has_no_more_times_than_a_metric_may_and_the_longest_is_among_them(took: list[int]) -> None:
    event = happened("painted", "x")
    batch = [Result(Received("m"), Outcome.APPLIED, event, taken_ms=NOW - one) for one in took]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Andon")
        line = line_of(batch, view="things", now_ms=NOW)

    assert len(line["lag"]) <= 100
    assert max(line["lag"]) == max(took)
    assert line.get("late", 0) == sum(one > LATE_SECONDS * 1_000 for one in took)


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
    assert metrics_of(line) == {"view stage": ["unprocessed"], "stage": ["lag"]}
