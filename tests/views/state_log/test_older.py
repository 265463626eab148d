"""Logs between two times, and where those are that have expired."""

import pytest

from andon.runtime import times
from andon.testing.loop import Loop
from tests.support.samples import NOW
from tests.support.services.reports import LOGS, report
from views.state_log.older import link_to_archive

DAY_MS = 86_400_000
HELD_SINCE = NOW - 33 * DAY_MS


@pytest.mark.parametrize(("first_ms", "is_held"), [(HELD_SINCE, False), (HELD_SINCE + 1000, True), (NOW, True)])
def test_what_begins_before_all_that_is_held_has_a_link_to_the_archive(*, first_ms: int, is_held: bool) -> None:
    assert (link_to_archive("press-7", times.to_utc(first_ms), None, now_ms=NOW) == {}) == is_held


def test_a_list_of_what_expired_says_where_it_is(loop: Loop, equipment_id: str) -> None:
    answer = loop.request(LOGS, path={"id": equipment_id}, query={"from": "2020-01-01", "to": "2020-02-01"})

    assert answer.body == {"items": []}
    assert answer.headers["link"] == (
        f"</archive/equipment/{equipment_id.replace('#', '%23')}"
        '?from=2020-01-01T00%3A00%3A00.000Z&to=2020-02-01T23%3A59%3A59.999Z>; rel="archives"'
    )


def test_a_list_of_what_is_held_has_no_link(loop: Loop, equipment_id: str) -> None:
    for query in ({}, {"from": "2020-04-01"}, {"to": "2020-01-01"}):
        assert "link" not in loop.request(LOGS, path={"id": equipment_id}, query=query).headers


def test_logs_between_two_times_of_all_states_or_of_one(loop: Loop, equipment_id: str) -> None:
    for minute, state in enumerate(["WARNING1", "WARNING10", "WARNING1", "NORMAL"]):
        report(loop, equipment_id, state, at=f"2020-04-24T14:0{minute}:00.000Z")
    loop.run()

    def minutes(**query: str) -> list[str]:
        answer = loop.request(LOGS, path={"id": equipment_id}, query=query)
        assert answer.status == 200, answer
        return [item["timestamp"][15] for item in answer.body["items"]]

    ends = {"from": "2020-04-24T14:01:00Z", "to": "2020-04-24T14:02:00Z"}
    assert minutes(**ends) == ["2", "1"]
    assert minutes(**ends, state="WARNING1") == ["2"]
    assert minutes(state="WARNING1", to="2020-04-24T14:01:00Z") == ["0"]
    assert minutes(**{"from": "2020-04-24T14:02:00Z"}) == ["3", "2"]
