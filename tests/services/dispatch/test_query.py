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
