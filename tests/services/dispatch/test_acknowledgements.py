"""Many logs, acknowledged at once."""

from typing import Any, Final

import pytest

from andon.http.places import ELSEWHERE
from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from services.dispatch.bodies import MAX_ACKNOWLEDGED
from tests.support.samples import NOW
from tests.support.services.reports import ACKNOWLEDGEMENT, acknowledge, log_path
from tests.support.services.versions import PUT, equipment

ROUTE: Final = "POST /acknowledgements"


def logs(equipment_id: str, *minutes: int) -> list[dict[str, str]]:
    return [
        {"equipmentId": equipment_id, "state": "ERROR", "timestamp": times.to_utc(NOW - minute * 60_000)}
        for minute in minutes
    ]


def post(loop: Loop, body: object, **parts: Any) -> Answer:  # noqa: ANN401
    with frozen_clock(NOW):
        return loop.request(ROUTE, body=body, **parts)


def test_a_hundred_logs_are_acknowledged_by_one_request_and_each_is_a_fact(loop: Loop, equipment_id: str) -> None:
    body = logs(equipment_id, *range(MAX_ACKNOWLEDGED))
    loop.run()

    answer = post(loop, body)

    assert answer.status == 200
    assert [{name: one[name] for name in body[0]} for one in answer.body["items"]] == body
    assert len({*answer.body["after"]}) == MAX_ACKNOWLEDGED
    with frozen_clock(NOW):
        told = [one["detail"]["acknowledgement"] for one in loop.run() if one["detail-type"] == "state-acknowledged"]
    assert sorted(one["timestamp"] for one in told) == sorted(one["timestamp"] for one in body)


def test_who_was_first_stays_the_first_and_the_same_again_answers_the_same(loop: Loop, equipment_id: str) -> None:
    first, second = logs(equipment_id, 1, 2)
    path = log_path(equipment_id, "ERROR", first["timestamp"])
    with frozen_clock(NOW):
        by_other = acknowledge(loop, equipment_id, path=path, subject="00000000-0000-0000-0000-000000000001").body

    answer = post(loop, [first, second])

    assert answer.body["items"][0] == by_other
    assert answer.body["items"][1]["acknowledgedBy"] != by_other["acknowledgedBy"]
    assert post(loop, [first, second]) == answer
    assert loop.request(ACKNOWLEDGEMENT, path=path).body == by_other


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ([], "body"),
        (logs("press", *range(MAX_ACKNOWLEDGED + 1)), "body"),
        (logs("press", 1, 2, 1), "body.2"),
        ([*logs("press", 1), *logs("press", -6)], "body.1.timestamp"),
        ([*logs("press", 1), *logs("press", 34 * 24 * 60)], "body.1.timestamp"),
        ([{"equipmentId": "press", "state": "error", "timestamp": times.to_utc(NOW)}], "body.0.state"),
    ],
    ids=["none", "too many", "one twice", "ahead", "expired", "no state"],
)
def test_what_cannot_be_acknowledged_is_refused_and_nothing_is(loop: Loop, body: object, field: str) -> None:
    before = loop.rows("DISPATCH_TABLE")

    answer = post(loop, body)

    assert (answer.status, [error["field"] for error in answer.body["errors"]]) == (400, [field])
    assert loop.rows("DISPATCH_TABLE") == before


def test_a_caller_at_places_acknowledges_what_is_there_and_nothing_beside_what_is_elsewhere(
    loop: Loop, equipment_id: str
) -> None:
    other = f"{equipment_id}-elsewhere"
    for id_, factory in ((equipment_id, "here"), (other, "there")):
        assert loop.request(PUT, path={"id": id_}, body=equipment() | {"factoryId": factory}).status == 201
    loop.run()
    before = loop.rows("DISPATCH_TABLE")

    refused = post(
        loop, [*logs(equipment_id, 1), *logs(other, 1), *logs("nobody-knows", 1)], groups=["operator", "at:here"]
    )

    assert (refused.status, refused.body["detail"]) == (403, ELSEWHERE)
    assert [error["field"] for error in refused.body["errors"]] == ["body.1.equipmentId", "body.2.equipmentId"]
    assert loop.rows("DISPATCH_TABLE") == before
    assert post(loop, logs(equipment_id, 1), groups=["operator", "at:here"]).status == 200
