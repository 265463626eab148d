import pytest

from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from tests.support.services.reports import ASSIGNMENT, AT, ESCALATION, assign, escalate, log_path

EXPIRES_MS = times.to_ms(AT) + 33 * 86_400_000


@pytest.mark.parametrize("route", [ASSIGNMENT, ESCALATION])
def test_who_sees_to_a_log_is_not_found_before_anybody_does(loop: Loop, equipment_id: str, route: str) -> None:
    answer = loop.request(route, path=log_path(equipment_id))

    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_an_expired_row_that_is_not_reaped_yet_is_not_found(loop: Loop, equipment_id: str) -> None:
    assign(loop, equipment_id, "Liz")
    escalate(loop, equipment_id, "Sara")

    with frozen_clock(EXPIRES_MS - 1):
        before = [loop.request(route, path=log_path(equipment_id)).status for route in (ASSIGNMENT, ESCALATION)]
    with frozen_clock(EXPIRES_MS):
        then = [loop.request(route, path=log_path(equipment_id)).status for route in (ASSIGNMENT, ESCALATION)]

    assert (before, then) == ([200, 200], [404, 404])


@pytest.mark.parametrize(
    ("if_none_match", "status"),
    [('"1"', 304), ('W/"1"', 304), ("*", 304), ('"2"', 200), ("1", 200), ("", 200), ("\x00", 200)],
)
def test_a_client_that_has_the_current_version_gets_a_304(
    loop: Loop, equipment_id: str, if_none_match: str, status: int
) -> None:
    assign(loop, equipment_id, "Liz")

    answer = loop.request(ASSIGNMENT, path=log_path(equipment_id), headers={"if-none-match": if_none_match})

    assert (answer.status, answer.headers["etag"]) == (status, '"1"')
    assert (answer.body is None) == (status == 304)
