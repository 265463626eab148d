from typing import Any

import pytest

from andon.dynamodb.ttl import ttl_at
from andon.runtime import times
from andon.testing.loop import Answer, Loop
from tests.support.samples import NOW
from tests.support.services.crews import ASSIGN_CREW, assign_crew, crew_of
from tests.support.services.reports import AT, log_path, told_of

MINUTE = 60_000


def told(answer: Answer) -> tuple[int, str | None, object]:
    return answer.status, answer.headers.get("etag"), answer.body


def row_of(loop: Loop, equipment_id: str) -> dict[str, Any]:
    (row,) = (row for row in loop.rows("DISPATCH2_TABLE") if row["pk"] == f"Equipment#{equipment_id}")
    return row


def test_a_first_crew_is_created_and_published(loop: Loop, equipment_id: str) -> None:
    answer = assign_crew(loop, equipment_id, "Liz", ["Ann", "Tom"], subject="the token's subject")

    log = {"equipmentId": equipment_id, "state": "WARNING1", "timestamp": AT}
    body = {**log, "crew": {"lead": "Liz", "members": ["Ann", "Tom"]}}
    assert told(answer) == (201, '"1"', body)
    assert told(crew_of(loop, equipment_id)) == (200, '"1"', body)
    envelope, *_ = told_of(loop, equipment_id)
    assert (envelope["source"], envelope["detail-type"]) == ("dispatch2", "crew-assigned")
    assert envelope["detail"]["crew"] == {**log, "lead": "Liz", "members": ["Ann", "Tom"]}
    assert envelope["detail"]["tags"]["actor"] == "the token's subject"


def test_a_log_without_a_crew_is_not_found(loop: Loop, equipment_id: str) -> None:
    assert crew_of(loop, equipment_id).status == 404


def test_a_change_needs_the_current_version(loop: Loop, equipment_id: str) -> None:
    assign_crew(loop, equipment_id, "Liz")

    assert assign_crew(loop, equipment_id, "Liz", ["Ann"]).status == 428
    assert assign_crew(loop, equipment_id, "Liz", ["Ann"], if_match=2).status == 412
    assert told(assign_crew(loop, equipment_id, "Liz", ["Ann"], if_match=1))[:2] == (200, '"2"')
    assert crew_of(loop, equipment_id).body["crew"] == {"lead": "Liz", "members": ["Ann"]}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"crew": {"lead": "Liz", "members": ["Liz"]}}, "body.crew"),
        ({"crew": {"lead": "Liz", "members": ["Ann", "Ann"]}}, "body.crew"),
        ({"crew": {"lead": "Liz", "members": [str(number) for number in range(21)]}}, "body.crew.members"),
        ({"crew": {"lead": "Liz"}}, "body.crew.members"),
        ({"crew": {"lead": "Li/z", "members": []}}, "body.crew.lead"),
        ({"crew": {"lead": "Liz", "members": [" "]}}, "body.crew.members.0"),
        ({"operator": "Liz"}, "body.crew"),
    ],
    ids=["the lead is a member", "a member twice", "too many", "no members", "no name", "a blank", "the other schema"],
)
def test_a_crew_that_makes_no_sense_is_refused(loop: Loop, equipment_id: str, body: object, field: str) -> None:
    answer = loop.request(ASSIGN_CREW, path=log_path(equipment_id), body=body)

    assert answer.status == 400
    assert field in [error["field"] for error in answer.body["errors"]]


def test_a_crew_expires_with_its_log_and_not_with_the_assignment(loop: Loop, equipment_id: str) -> None:
    assign_crew(loop, equipment_id, "Liz")
    assign_crew(loop, equipment_id, "Sue", if_match=1)

    assert row_of(loop, equipment_id)["ttl"] == ttl_at(times.to_ms(AT), 33)


@pytest.mark.parametrize(
    ("at", "status"),
    [(NOW + times.MAX_AHEAD_MS, 201), (NOW + times.MAX_AHEAD_MS + 1, 400), (NOW - 33 * 86_400_000, 400)],
    ids=["five minutes ahead", "a millisecond more", "33 days"],
)
def test_a_log_that_lies_ahead_or_has_expired_gets_no_crew(loop: Loop, equipment_id: str, at: int, status: int) -> None:
    assert assign_crew(loop, equipment_id, "Liz", path=log_path(equipment_id, at=times.to_utc(at))).status == status


def test_a_crew_is_assigned_behind_the_time_of_its_log_whatever_the_clock_says(loop: Loop, equipment_id: str) -> None:
    """A rule of dispatch decides at that time; a person's decision replaces it, and never the other way round."""
    assign_crew(loop, equipment_id, "Liz", path=log_path(equipment_id, at=times.to_utc(NOW + 2 * MINUTE)))

    assert row_of(loop, equipment_id)["timestamp"] == NOW + 2 * MINUTE + 1
