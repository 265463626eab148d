"""The cost of a report to anomalies, counted. It fails if rules are not screened."""

from collections import Counter

import pytest

from andon.rules.due import READ_SHARDS
from andon.testing.crash_points import calls_of
from andon.testing.environment import frozen_clock
from tests.support.anomalies import ANOMALIES, PRESS, Detector, model_content, put_model
from tests.support.samples import NOW

HOURS = 4
EVERY_S = 300
REPORTS = HOURS * 3600 // EVERY_S
WRITES = ("PutItem", "UpdateItem", "DeleteItem")


def calls(detector: Detector, seconds: int, state: str = "NORMAL") -> Counter[str]:
    """Return the calls of a report by function and operation, and the sweep that would decide about it."""
    found = Counter[str]()
    with frozen_clock(NOW + seconds * 1000):
        found += Counter(f"listener {call}" for call in calls_of(lambda: detector.report((seconds, state))))
        found += Counter(f"trigger {call}" for call in calls_of(detector.settle))
    with frozen_clock(NOW + seconds * 1000 + 60_000):
        found += Counter(f"sweep {call}" for call in calls_of(detector.decide))
    found["sweep Query"] -= READ_SHARDS  # is anything due?
    return +found


def test_a_report_at_which_nothing_is_unusual_costs_one_write_unit_and_nothing_in_the_sweep(detector: Detector) -> None:
    detector.restart(model_content(PRESS))

    total = Counter[str]()
    for number in range(REPORTS):
        total += calls(detector, number * EVERY_S)

    units = sum(count for call, count in total.items() if call.endswith(WRITES)) / REPORTS
    print(f"a report: {units:.2f} write units, {dict(total)}")  # noqa: T201
    assert {call: count / REPORTS for call, count in total.items()} == {
        "listener Query": 1,
        "listener PutItem": 1,
        "trigger Query": pytest.approx(1, abs=0.05),
    }
    assert detector.decisions() == []


def test_one_that_is_unusual_is_due_and_decided(detector: Detector) -> None:
    detector.restart(model_content(PRESS))
    calls(detector, 0)

    found = calls(detector, EVERY_S, "MELTING")

    assert found["trigger PutItem"] == found["sweep DeleteItem"] == 1
    [row] = detector.decisions()
    assert row["kind"] == "odd-state"


@pytest.mark.parametrize("content", [None, model_content("another")], ids=["no model", "another machine's"])
def test_without_a_model_of_the_machine_nothing_is_read_but_what_is_newer(
    detector: Detector, content: dict[str, object] | None
) -> None:
    detector.restart(content)

    assert calls(detector, 0) == {"listener Query": 1, "listener PutItem": 1}


def test_the_trigger_looks_for_another_model_once_a_minute_and_only_when_reports_arrive(detector: Detector) -> None:
    def asked(seconds: int, *, reports: bool = True) -> int:
        with frozen_clock(NOW + seconds * 1000):
            if reports:
                detector.report((seconds, "NORMAL"))
            batch = {"Records": detector.new_records("ANOMALIES_TABLE")}
            return len(calls_of(lambda: detector.invoke(ANOMALIES, "trigger", batch), services=("s3",)))

    detector.restart(model_content(PRESS))
    assert asked(0) == 2  # the pointer, and the model
    assert [asked(seconds) for seconds in (1, 59, 60, 61)] == [0, 0, 1, 0]
    put_model(detector, model_content(PRESS, until="2020-04-22T00:00:00.000Z"))
    assert asked(200, reports=False) == 0
    assert asked(201) == 2
