import pytest

from andon.dynamodb.ttl import ttl_at
from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from tests.support.samples import NOW
from tests.support.services.reports import ASSIGNMENT, AT, ESCALATION, assign, escalate, log_path, told_of

MINUTES = 60_000


def told(answer: Answer) -> tuple[int, str | None, object]:
    return answer.status, answer.headers.get("etag"), answer.body


def assigned(loop: Loop, equipment_id: str) -> Answer:
    return loop.request(ASSIGNMENT, path=log_path(equipment_id))


def row_of(loop: Loop, equipment_id: str) -> dict[str, object]:
    (row,) = (row for row in loop.rows("DISPATCH_TABLE") if row["pk"] == f"Equipment#{equipment_id}")
    return row


def test_a_first_assignment_is_created_and_published(loop: Loop, equipment_id: str) -> None:
    answer = assign(loop, equipment_id, "Liz", subject="the token's subject")

    body = {"equipmentId": equipment_id, "state": "WARNING1", "timestamp": AT, "operator": "Liz"}
    assert told(answer) == (201, '"1"', body)
    assert told(assigned(loop, equipment_id)) == (200, '"1"', body)
    (envelope,) = told_of(loop, equipment_id)
    assert (envelope["source"], envelope["detail-type"]) == ("dispatch", "operator-assigned")
    assert envelope["detail"]["assignment"] == body
    assert envelope["detail"]["raw"]["new"]["changedBy"] == "the token's subject"


def test_a_first_escalation_is_created_and_published(loop: Loop, equipment_id: str) -> None:
    answer = escalate(loop, equipment_id, "Sara")

    body = {"equipmentId": equipment_id, "state": "WARNING1", "timestamp": AT, "supervisor": "Sara"}
    assert told(answer) == (201, '"1"', body)
    assert told(loop.request(ESCALATION, path=log_path(equipment_id))) == (200, '"1"', body)
    (envelope,) = told_of(loop, equipment_id)
    assert (envelope["detail-type"], envelope["detail"]["escalation"]) == ("state-escalated", body)


def test_an_assignment_and_an_escalation_of_a_log_do_not_meet(loop: Loop, equipment_id: str) -> None:
    assert assign(loop, equipment_id, "Liz").status == 201
    assert escalate(loop, equipment_id, "Sara").status == 201
    assert len(told_of(loop, equipment_id)) == 2


def test_a_retry_answers_as_the_first_time_did_without_a_second_event(loop: Loop, equipment_id: str) -> None:
    first = assign(loop, equipment_id, "Liz")
    with frozen_clock(NOW + 5 * MINUTES):
        again = assign(loop, equipment_id, "Liz")

    assert told(again) == told(first)
    assert len(told_of(loop, equipment_id)) == 1


def test_a_change_needs_the_current_version(loop: Loop, equipment_id: str) -> None:
    assign(loop, equipment_id, "Liz")

    assert assign(loop, equipment_id, "Sue").status == 428
    assert assign(loop, equipment_id, "Sue", if_match=2).status == 412
    assert told(assign(loop, equipment_id, "Sue", if_match=1))[:2] == (200, '"2"')
    assert told(loop.request(ASSIGNMENT, path=log_path(equipment_id), headers={"if-none-match": '"2"'}))[0] == 304
    assert len(told_of(loop, equipment_id)) == 2


def test_a_clock_that_runs_back_does_not_turn_the_order_of_events(loop: Loop, equipment_id: str) -> None:
    assign(loop, equipment_id, "Liz")
    with frozen_clock(NOW - 10 * MINUTES):
        assert assign(loop, equipment_id, "Sue", if_match=1).status == 200

    events = [envelope["detail"] for envelope in told_of(loop, equipment_id)]

    assert [event["timestamp"] for event in events] == [NOW, NOW + 1]
    logs = loop.request("GET /equipment/{id}/logs", path={"id": equipment_id}).body["items"]
    assert [log["operator"] for log in logs] == ["Sue"]


@pytest.mark.parametrize(
    ("at", "status"),
    [
        (NOW + times.MAX_AHEAD_MS, 201),
        (NOW + times.MAX_AHEAD_MS + 1, 400),
        (NOW - 33 * 86_400_000 + 1000, 201),
        (NOW - 33 * 86_400_000, 400),
    ],
    ids=["five minutes ahead", "a millisecond more", "33 days less a second", "33 days"],
)
def test_a_log_that_lies_ahead_or_has_expired_cannot_be_assigned(
    loop: Loop, equipment_id: str, at: int, status: int
) -> None:
    path = log_path(equipment_id, at=times.to_utc(at))

    assert assign(loop, equipment_id, "Liz", path=path).status == status
    assert len(told_of(loop, equipment_id)) == (status == 201)


def test_an_assignment_expires_with_the_log_and_not_with_the_assignment(loop: Loop, equipment_id: str) -> None:
    assign(loop, equipment_id, "Liz")
    assign(loop, equipment_id, "Sue", if_match=1)

    assert row_of(loop, equipment_id)["ttl"] == ttl_at(times.to_ms(AT), 33)


@pytest.mark.parametrize(
    "at", ["2020-04-24T14:50:00Z", "2020-04-24T14:50", "2020-04-24T16:50:00+02:00", "2020-04-24T14:50:00.0009Z"]
)
def test_a_log_is_the_same_however_its_time_is_written(loop: Loop, equipment_id: str, at: str) -> None:
    assign(loop, equipment_id, "Liz", path=log_path(equipment_id, at=at))

    assert assigned(loop, equipment_id).body["operator"] == "Liz"
