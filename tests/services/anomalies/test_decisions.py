"""Decisions do not depend on the order of reports, on duplicates, or on which model comes later."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.rules.micro_event_store import DEFAULT_SECONDS, STORED_WITHIN_MS
from andon.testing.environment import frozen_clock
from tests.support.anomalies import ANOMALIES, PRESS, Detector, Report, model_content, put_model, report_body
from tests.support.samples import NOW

MODEL = model_content(PRESS)
OTHER = model_content(PRESS, states={}, until="2020-04-27T00:00:00.000Z")  # to which every state is odd
HOUR = 3600
DUE_MS = NOW + 3 * HOUR * 1000 + DEFAULT_SECONDS * 1000 + STORED_WITHIN_MS + 1

GAP: list[Report] = [(0, "NORMAL"), (300, "NORMAL"), (1500, "NORMAL")]
BURST: list[Report] = [(60 * minute, "WARNING1") for minute in range(15)]
ODD: list[Report] = [(0, "NORMAL"), (60, "MELTING"), (120, "MELTING")]

REPORTS = st.lists(
    st.tuples(st.integers(0, 3 * HOUR), st.sampled_from(("NORMAL", "WARNING1", "WARNING1", "MELTING"))),
    min_size=1,
    max_size=25,
    unique=True,
)


def decided(detector: Detector, *batches: Sequence[Report]) -> list[dict[str, object]]:
    """Deliver reports that all arrive within the hold-back; return the decisions about them."""
    detector.restart(MODEL)
    with frozen_clock(NOW + 3 * HOUR * 1000):
        for batch in batches:
            detector.report(*batch)
            detector.settle()
    with frozen_clock(DUE_MS):
        detector.decide()
    return detector.decisions()


@pytest.mark.parametrize(("reports", "kind"), [(GAP, "gap"), (BURST, "burst"), (ODD, "odd-state")])
def test_an_anomaly_is_decided_once_and_published(detector: Detector, reports: list[Report], kind: str) -> None:
    [row] = decided(detector, reports)

    [fact] = detector.facts()
    assert (row["kind"], row["model"]) == (kind, MODEL["version"])
    assert fact["type"] == "anomaly-detected"
    assert fact["anomaly"]["kind"] == fact["anomaly"]["rule"] == kind
    assert fact["timestamp"] == row["at"]


@given(REPORTS.flatmap(lambda reports: st.tuples(st.just(reports), st.permutations(reports), st.integers(1, 5))))
def test_every_order_of_arrival_ends_in_the_same_decisions(
    detector: Detector, said: tuple[list[Report], list[Report], int]
) -> None:
    in_order, another, size = said
    batches = [another[start : start + size] for start in range(0, len(another), size)]

    assert decided(detector, sorted(in_order)) == decided(detector, *batches)


@given(REPORTS)
def test_reports_that_come_again_decide_nothing_more(detector: Detector, reports: list[Report]) -> None:
    once = decided(detector, reports)

    assert decided(detector, reports, reports, reports[::-1]) == once


@pytest.mark.parametrize("reports", [GAP, BURST, ODD])
def test_a_model_that_is_trained_later_changes_nothing_that_was_decided(
    detector: Detector, reports: list[Report]
) -> None:
    before = decided(detector, reports)
    assert detector.facts()

    put_model(detector, OTHER)
    with frozen_clock(DUE_MS):
        detector.report(*reports)  # redelivered
        detector.settle()
        detector.decide()

    assert detector.decisions() == before
    assert detector.facts() == []


def test_what_is_evaluated_again_under_a_later_model_keeps_the_version_of_the_first(detector: Detector) -> None:
    """A sweep may die between the decision and the removal of what was due."""
    detector.restart(MODEL)
    with frozen_clock(NOW + 3 * HOUR * 1000):
        detector.report(*ODD)
        detector.settle()
    due = [row for row in detector.typed_rows("ANOMALIES_TABLE") if row["discriminator"]["S"] == "due"]
    with frozen_clock(DUE_MS):
        detector.decide()
        before = detector.decisions()
        detector.restore("ANOMALIES_TABLE", due)
        put_model(detector, OTHER)
        detector.decide()

    again = detector.decisions()
    assert [row for row in again if row["model"] == MODEL["version"]] == before
    assert len({(row["kind"], row["state"], row["timestamp"]) for row in again}) == len(again)


@pytest.mark.parametrize("content", [None, model_content("another")])
def test_without_a_model_of_the_machine_nothing_is_decided(
    detector: Detector, content: dict[str, object] | None
) -> None:
    detector.restart(content)
    with frozen_clock(NOW + 3 * HOUR * 1000):
        detector.report(*GAP, *BURST, *ODD)
        detector.settle()
    with frozen_clock(DUE_MS):
        detector.decide()

    assert detector.decisions() == []
    assert [row for row in detector.rows("ANOMALIES_TABLE") if row["discriminator"] == "due"] == []


def test_a_model_that_cannot_be_read_fails_no_batch(detector: Detector) -> None:
    detector.restart(None)
    detector.restore_objects("MODELS_BUCKET", [{"Key": "models/current.json", "Body": "{"}])
    with frozen_clock(NOW + 3 * HOUR * 1000):
        assert detector.deliver(ANOMALIES, [report_body(report) for report in GAP]) == []
        detector.settle()
    with frozen_clock(DUE_MS):
        detector.decide()

    assert [row for row in detector.rows("ANOMALIES_TABLE") if row["discriminator"] == "due"] == []
