import pytest

from andon.dynamodb.ttl import ttl_at
from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from tests.support.samples import NOW
from tests.support.services.reports import ASSIGNMENT, AT, ESCALATION, assign, escalate, log_path, told_of
from tests.support.wire import Wire

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


def test_a_retry_of_a_change_answers_as_the_first_time_did_without_a_second_event(
    loop: Loop, equipment_id: str
) -> None:
    assign(loop, equipment_id, "Liz")
    first = assign(loop, equipment_id, "Sue", if_match=1)
    again = assign(loop, equipment_id, "Sue", if_match=1)

    assert told(first)[:2] == (200, '"2"')
    assert told(again) == told(first)
    assert len(told_of(loop, equipment_id)) == 2


def test_the_same_body_for_the_current_version_changes_nothing(loop: Loop, equipment_id: str) -> None:
    first = assign(loop, equipment_id, "Liz")
    row = row_of(loop, equipment_id)

    same = assign(loop, equipment_id, "Liz", if_match=1)

    assert told(same) == (200, '"1"', first.body)
    assert row_of(loop, equipment_id) == row
    assert len(told_of(loop, equipment_id)) == 1


def test_a_change_without_if_match_is_refused(loop: Loop, equipment_id: str) -> None:
    assign(loop, equipment_id, "Liz")

    assert assign(loop, equipment_id, "Sue").status == 428
    assert assigned(loop, equipment_id).body["operator"] == "Liz"


def test_the_same_body_of_another_actor_without_if_match_is_no_retry(loop: Loop, equipment_id: str) -> None:
    assign(loop, equipment_id, "Liz", subject="one")

    assert assign(loop, equipment_id, "Liz", subject="another").status == 428


def test_a_change_of_another_version_is_stale(loop: Loop, equipment_id: str) -> None:
    assign(loop, equipment_id, "Liz")
    assign(loop, equipment_id, "Sue", if_match=1)

    with frozen_clock(NOW + MINUTES):  # so that it is refused for its version and not for its clock
        statuses = [assign(loop, equipment_id, "Ann", if_match=version).status for version in (1, 3, 10**14)]

    assert statuses == [412] * 3
    assert assigned(loop, equipment_id).body["operator"] == "Sue"


def test_a_change_of_what_is_not_there_is_stale(loop: Loop, equipment_id: str) -> None:
    assert assign(loop, equipment_id, "Liz", if_match=1).status == 412
    assert assigned(loop, equipment_id).status == 404
    assert told_of(loop, equipment_id) == []


def test_a_retry_after_a_later_change_is_refused(loop: Loop, equipment_id: str) -> None:
    assign(loop, equipment_id, "Liz")
    assign(loop, equipment_id, "Sue", if_match=1)
    assign(loop, equipment_id, "Ann", if_match=2)

    assert assign(loop, equipment_id, "Liz").status == 428
    assert assign(loop, equipment_id, "Sue", if_match=1).status == 412
    assert assigned(loop, equipment_id).body["operator"] == "Ann"


def test_changing_there_and_back_is_three_versions(loop: Loop, equipment_id: str) -> None:
    answers = [
        assign(loop, equipment_id, operator, if_match=version)
        for version, operator in [(None, "Liz"), (1, "Sue"), (2, "Liz")]
    ]

    assert [told(answer)[:2] for answer in answers] == [(201, '"1"'), (200, '"2"'), (200, '"3"')]
    assert len(told_of(loop, equipment_id)) == 3


def test_a_clock_that_runs_back_does_not_turn_the_order_of_events(loop: Loop, equipment_id: str) -> None:
    assign(loop, equipment_id, "Liz")
    with frozen_clock(NOW - 10 * MINUTES):
        assert assign(loop, equipment_id, "Sue", if_match=1).status == 200

    events = [envelope["detail"] for envelope in told_of(loop, equipment_id)]

    assert [event["timestamp"] for event in events] == [NOW, NOW + 1]
    logs = loop.request("GET /equipment/{id}/logs", path={"id": equipment_id}).body["items"]
    assert [log["operator"] for log in logs] == ["Sue"]


def test_an_answer_that_is_lost_on_the_way_leaves_one_version_and_one_event(
    loop: Loop, equipment_id: str, wire: Wire, pauses: list[float]
) -> None:
    for operation in ("PutItem", "UpdateItem"):
        wire.lose_answers(operation, times=1)

    created = assign(loop, equipment_id, "Liz")
    changed = assign(loop, equipment_id, "Sue", if_match=1)

    assert told(created)[:2] == (201, '"1"')
    assert told(changed)[:2] == (200, '"2"')
    assert len(told_of(loop, equipment_id)) == 2
    assert pauses


def test_answers_that_stay_lost_are_a_500_and_the_retry_is_recognised(
    loop: Loop, equipment_id: str, wire: Wire, pauses: list[float]
) -> None:
    wire.lose_answers("PutItem", times=4)

    assert assign(loop, equipment_id, "Liz").status == 500
    assert told(assign(loop, equipment_id, "Liz"))[:2] == (201, '"1"')
    assert len(told_of(loop, equipment_id)) == 1
    assert pauses


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
