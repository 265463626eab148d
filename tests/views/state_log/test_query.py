"""The access patterns of AWS's own sample, on AWS's own sample."""

import pytest

from andon.testing.loop import Answer, Loop
from andon.testing.wire import Wire
from demo.device_state_log import sample
from demo.people import LIZ, SARA, SUE
from tests.support.services.reports import ESCALATIONS, LOGS, OPERATOR_LOGS, assign, escalate, report

Row = tuple[str, str, str, str, str | None]


@pytest.fixture(scope="module", autouse=True)
def sample_is_in_the_system(loop: Loop) -> None:
    """Write AWS's sample through the API, at 2020-04-28."""
    for log in sample():
        path = {"id": log.equipment, "state": log.state, "timestamp": log.timestamp}
        assert report(loop, log.equipment, log.state, at=log.timestamp, groups=["operator"]).status == 201
        assert assign(loop, log.equipment, log.operator, path=path, groups=["operator"]).status == 201
        if log.escalated_to:
            assert escalate(loop, log.equipment, log.escalated_to, path=path, groups=["operator"]).status == 201
    assert len(loop.run()) == 11 + 11 + 1


def ask(loop: Loop, route: str, who: str, **query: str) -> Answer:
    name = route.partition("{")[2].partition("}")[0]
    return loop.request(route, path={name: who}, query=query, groups=["analyst"])


def rows_of(answer: Answer) -> list[Row]:
    assert answer.status == 200, answer.body
    return [
        (log["equipmentId"], log["state"], log["timestamp"][:19], log["operator"], log.get("escalatedTo"))
        for log in answer.body["items"]
    ]


WARNINGS_OF_12345: list[Row] = [
    ("d#12345", "WARNING1", "2020-04-24T14:50:00", LIZ, None),
    ("d#12345", "WARNING1", "2020-04-24T14:45:00", LIZ, None),
    ("d#12345", "WARNING1", "2020-04-24T14:40:00", LIZ, None),
]
NORMAL_OF_12345: Row = ("d#12345", "NORMAL", "2020-04-24T14:55:00", LIZ, None)
ESCALATED: Row = ("d#11223", "WARNING4", "2020-04-27T16:15:00", SUE, SARA)


def test_create_log_entry_for_specific_device(loop: Loop) -> None:
    assert rows_of(ask(loop, LOGS, "d#11223")) == [
        ESCALATED,
        ("d#11223", "WARNING4", "2020-04-27T16:10:00", SUE, None),
    ]


def test_get_logs_for_specific_device(loop: Loop) -> None:
    assert rows_of(ask(loop, LOGS, "d#12345", state="WARNING1")) == WARNINGS_OF_12345


def test_get_warning_logs_for_specific_device(loop: Loop, wire: Wire) -> None:
    assert rows_of(ask(loop, LOGS, "d#12345", state="WARNING*")) == WARNINGS_OF_12345
    (query,) = wire.requests
    assert "FilterExpression" not in query.parameters
    assert (query.answer["Count"], query.answer["ScannedCount"]) == (3, 3)


def test_warnings_of_several_kinds_come_by_state_and_then_by_time_descending(loop: Loop) -> None:
    assert [row[1:3] for row in rows_of(ask(loop, LOGS, "d#54321", state="WARNING*"))] == [
        ("WARNING3", "2020-04-11T05:55:00"),
        ("WARNING3", "2020-04-11T05:50:00"),
        ("WARNING2", "2020-04-11T09:25:00"),
    ]


def test_get_logs_for_operator_between_two_dates(loop: Loop) -> None:
    between = {"from": "2020-04-11T05:58:00", "to": "2020-04-24T14:50:00"}

    assert rows_of(ask(loop, OPERATOR_LOGS, LIZ, **between)) == [
        *WARNINGS_OF_12345,
        ("d#54321", "NORMAL", "2020-04-11T06:00:00", LIZ, None),
    ]


def test_get_escalated_logs_for_supervisor(loop: Loop) -> None:
    assert rows_of(ask(loop, ESCALATIONS, SARA)) == [ESCALATED]


def test_get_escalated_logs_with_specific_status_for_supervisor(loop: Loop) -> None:
    assert rows_of(ask(loop, ESCALATIONS, SARA, state="WARNING4")) == [ESCALATED]
    assert rows_of(ask(loop, ESCALATIONS, SARA, state="WARNING1")) == []


def test_get_escalated_logs_with_specific_status_for_supervisor_for_date(loop: Loop) -> None:
    assert rows_of(ask(loop, ESCALATIONS, SARA, state="WARNING4", date="2020-04-27")) == [ESCALATED]
    assert rows_of(ask(loop, ESCALATIONS, SARA, state="WARNING4", date="2020-04-26")) == []


def test_all_logs_of_a_device_come_newest_first_whatever_their_state(loop: Loop) -> None:
    assert rows_of(ask(loop, LOGS, "d#12345")) == [NORMAL_OF_12345, *WARNINGS_OF_12345]
    times_of = [row[2] for row in rows_of(ask(loop, LOGS, "d#54321"))]
    assert times_of == sorted(times_of, reverse=True)
    assert len(times_of) == 5


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"from": "2020-04-11", "to": "2020-04-11"}, 2),
        ({"from": "2020-04-11T05:55:00Z", "to": "2020-04-11T05:55:00Z"}, 1),
        ({"from": "2020-04-11T05:55:00.001Z", "to": "2020-04-11"}, 1),
        ({"to": "2020-04-11T05:54:59.999Z"}, 0),
        ({"from": "2020-04-24T14:50:00Z"}, 2),
        ({"from": "2020-04-24T16:50:00+02:00"}, 2),
        ({"from": "2020-04-24T14:50:00.0005Z"}, 2),
        ({}, 6),
    ],
    ids=str,
)
def test_both_ends_of_a_range_belong_to_it_and_a_date_means_its_whole_day(
    loop: Loop, query: dict[str, str], expected: int
) -> None:
    assert len(rows_of(ask(loop, OPERATOR_LOGS, LIZ, **query))) == expected


def test_an_exact_state_does_not_match_a_longer_one(loop: Loop) -> None:
    for state in ("WARN", "WARNING", "WARNING10"):
        report(loop, "d#longer", state, at=f"2020-04-24T14:50:{len(state):02d}Z")
    report(loop, "d#longer", "WARNING1", at="2020-04-24T14:50:00Z")
    loop.run()

    found = {
        asked: sorted(log["state"] for log in ask(loop, LOGS, "d#longer", state=asked).body["items"])
        for asked in ("WARN", "WARNING", "WARNING1", "WARNING1*", "W*")
    }

    assert found == {
        "WARN": ["WARN"],
        "WARNING": ["WARNING"],
        "WARNING1": ["WARNING1"],
        "WARNING1*": ["WARNING1", "WARNING10"],
        "W*": ["WARN", "WARNING", "WARNING1", "WARNING10"],
    }


@pytest.mark.parametrize("who", ["op-99", "1047", "3f6d2c1e-8f0a-4b57-9a53-0c7d1f1e2a44"])
def test_who_is_unknown_has_no_logs(loop: Loop, who: str) -> None:
    assert [ask(loop, route, who).body for route in (OPERATOR_LOGS, ESCALATIONS)] == [{"items": []}] * 2
