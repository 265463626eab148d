"""That somebody has seen a log, over HTTP: whoever was first."""

import pytest

from andon.dynamodb.ttl import ttl_at
from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from tests.support.samples import NOW
from tests.support.services.reports import ACKNOWLEDGEMENT, AT, acknowledge, assign, log_path, told_of
from tests.support.wire import Wire

MINUTE = 60_000
DAY = 24 * 60 * MINUTE


def acknowledged(loop: Loop, equipment_id: str) -> Answer:
    return loop.request(ACKNOWLEDGEMENT, path=log_path(equipment_id))


def test_a_log_is_not_acknowledged_before_somebody_does(loop: Loop, equipment_id: str) -> None:
    answer = acknowledged(loop, equipment_id)

    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_an_acknowledgement_is_created_and_published(loop: Loop, equipment_id: str) -> None:
    answer = acknowledge(loop, equipment_id, subject="the token's subject", name="Ann Doe")

    body = {
        "equipmentId": equipment_id,
        "state": "WARNING1",
        "timestamp": AT,
        "acknowledgedBy": "the token's subject",
        "acknowledgedAt": times.to_utc(NOW),
        "acknowledgedByName": "Ann Doe",
    }
    assert (answer.status, answer.body) == (201, body)
    assert (acknowledged(loop, equipment_id).status, acknowledged(loop, equipment_id).body) == (200, body)
    (envelope,) = told_of(loop, equipment_id)
    assert (envelope["source"], envelope["detail-type"]) == ("dispatch", "state-acknowledged")
    assert envelope["detail"]["acknowledgement"] == body
    assert envelope["detail"]["timestamp"] == NOW


@pytest.mark.parametrize("who", ["the first", "another"])
def test_whoever_acknowledges_it_again_learns_who_was_first(loop: Loop, equipment_id: str, who: str) -> None:
    first = acknowledge(loop, equipment_id, subject="the first")
    with frozen_clock(NOW + 5 * MINUTE):
        again = acknowledge(loop, equipment_id, subject=who)

    assert first.status == 201
    assert (again.status, again.body) == (200, first.body)
    assert acknowledged(loop, equipment_id).body == first.body
    assert len(told_of(loop, equipment_id)) == 1


def test_an_acknowledgement_and_an_assignment_of_a_log_do_not_meet(loop: Loop, equipment_id: str) -> None:
    assert assign(loop, equipment_id, "Liz").status == 201
    assert acknowledge(loop, equipment_id).status == 201
    assert len(told_of(loop, equipment_id)) == 2


def test_an_answer_that_is_lost_on_the_way_leaves_one_acknowledgement(
    loop: Loop, equipment_id: str, wire: Wire, pauses: list[float]
) -> None:
    wire.lose_answers("PutItem", times=1)

    answer = acknowledge(loop, equipment_id, subject="the first")

    assert answer.status in {200, 201}
    assert answer.body["acknowledgedBy"] == "the first"
    assert len(told_of(loop, equipment_id)) == 1
    assert pauses


@pytest.mark.parametrize(
    ("at_ms", "status"),
    [
        (NOW + times.MAX_AHEAD_MS, 201),
        (NOW + times.MAX_AHEAD_MS + 1, 400),
        (NOW - 33 * DAY + 1000, 201),
        (NOW - 33 * DAY, 400),
    ],
    ids=["five minutes ahead", "a millisecond more", "33 days less a second", "33 days"],
)
def test_a_log_that_lies_ahead_or_has_expired_cannot_be_acknowledged(
    loop: Loop, equipment_id: str, at_ms: int, status: int
) -> None:
    answer = acknowledge(loop, equipment_id, path=log_path(equipment_id, at=times.to_utc(at_ms)))

    assert answer.status == status
    assert len(told_of(loop, equipment_id)) == (status == 201)


def test_an_acknowledgement_expires_with_its_log(loop: Loop, equipment_id: str) -> None:
    acknowledge(loop, equipment_id)

    (row,) = (row for row in loop.rows("DISPATCH_TABLE") if row["pk"] == f"Equipment#{equipment_id}")
    assert row["ttl"] == ttl_at(times.to_ms(AT), 33)
    with frozen_clock(times.to_ms(AT) + 33 * DAY - 1):
        assert acknowledged(loop, equipment_id).status == 200
    with frozen_clock(times.to_ms(AT) + 33 * DAY):
        assert acknowledged(loop, equipment_id).status == 404
