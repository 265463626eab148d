"""The story of a piece of equipment, over HTTP: its episodes, and what was done about them."""

from typing import Any

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from services.dispatch import episode_pages
from tests.support.dispatch.shop import MINUTE, found, log, open_shop, reported, swept
from tests.support.samples import NOW
from tests.support.services.reports import EPISODES, acknowledge, assign
from tests.support.services.versions import pages

Page = dict[str, Any]

DAY = 24 * 60


def at(minute: int) -> str:
    return f"2020-04-28T{minute // 60:02d}:{minute % 60:02d}:00.000Z"


def story(loop: Loop, equipment_id: str, **query: str) -> Page:
    page: Page = found(loop.request(EPISODES, path={"id": equipment_id}, query=query))
    return page


def spans(page: Page) -> list[tuple[str, str | None]]:
    return [(item["startedAt"], item["endedAt"]) for item in page["items"]]


def types(item: Page) -> list[str]:
    return [entry["type"] for entry in item["story"]]


def has_three(loop: Loop, equipment_id: str) -> None:
    """Let there be three episodes, the last of which goes on; nobody is there to be assigned."""
    for minute, state in enumerate(["NORMAL", "ERROR", "NORMAL", "NORMAL", "WARNING1", "ERROR", "NORMAL", "STOPPED"]):
        reported(loop, equipment_id, state, minute)


@pytest.fixture(scope="module")
def three(loop: Loop) -> str:
    """A piece of equipment with three episodes, which stay as they are."""
    has_three(loop, "three")
    return "three"


def test_equipment_that_never_reported_has_no_story(loop: Loop, equipment_id: str) -> None:
    assert story(loop, equipment_id) == {"items": []}


def test_equipment_that_is_well_has_no_story(loop: Loop, equipment_id: str) -> None:
    reported(loop, equipment_id, "NORMAL", 0)
    reported(loop, equipment_id, "NORMAL", 5)

    assert story(loop, equipment_id) == {"items": []}


def test_an_episode_says_who_did_what_when_and_why(loop: Loop, equipment_id: str) -> None:
    open_shop(loop, equipment_id, ["Liz"])
    published = reported(loop, equipment_id, "WARNING1", 0) + reported(loop, equipment_id, "ERROR", 5)
    published += swept(loop, 16)
    with frozen_clock(NOW + 17 * MINUTE):
        acknowledge(loop, equipment_id, path=log(equipment_id, "ERROR", 5), subject="Bob")
    with frozen_clock(NOW + 18 * MINUTE):
        assign(loop, equipment_id, "Ann", path=log(equipment_id, "ERROR", 5))
        published += loop.run()
    published += reported(loop, equipment_id, "NORMAL", 20)

    (item,) = story(loop, equipment_id)["items"]

    warning, error, normal = (one["detail"]["id"] for one in published if one["detail-type"] == "state-reported")
    triggers = {
        id_: {"id": id_, "type": "state-reported", "timestamp": NOW + minute * MINUTE}
        for id_, minute in ((warning, 0), (error, 5))
    }
    by_rule = {"by": "rule"}
    assert (item["startedAt"], item["endedAt"]) == (at(0), at(20))
    assert "partial" not in item
    said = [{name: value for name, value in entry.items() if name != "id"} for entry in item["story"]]
    # What was done in the same millisecond is told in any order, behind the report of that millisecond.
    assert said == sorted(said, key=lambda entry: (entry["at"], entry["type"] != "state-reported"))
    assert sorted(said, key=lambda entry: (entry["at"], entry["type"] == "equipment-at-risk")) == [
        {"type": "state-reported", "at": at(0), "state": "WARNING1", "timestamp": at(0)},
        {
            "type": "operator-assigned",
            "at": at(0),
            "state": "WARNING1",
            "timestamp": at(0),
            "operator": "Liz",
            **by_rule,
            "rule": "assign",
            "triggers": [triggers[warning]],
        },
        {"type": "state-reported", "at": at(5), "state": "ERROR", "timestamp": at(5)},
        {
            "type": "operator-assigned",
            "at": at(5),
            "state": "ERROR",
            "timestamp": at(5),
            "operator": "Liz",
            **by_rule,
            "rule": "assign",
            "triggers": [triggers[error]],
        },
        {
            "type": "equipment-at-risk",
            "at": at(5),
            "since": at(0),
            "timestamp": at(5),
            "reason": "ERROR after WARNING",
            **by_rule,
            "rule": "at-risk",
            "triggers": [triggers[warning], triggers[error]],
        },
        {
            "type": "state-escalated",
            "at": at(15),
            "state": "WARNING1",
            "timestamp": at(0),
            "supervisor": "Sara",
            **by_rule,
            "rule": "escalate",
            "triggers": [triggers[warning], triggers[error]],
        },
        {
            "type": "state-acknowledged",
            "at": at(17),
            "state": "ERROR",
            "timestamp": at(5),
            "acknowledgedBy": "Bob",
            "acknowledgedByName": "Bob",
            "acknowledgedAt": at(17),
        },
        {"type": "operator-assigned", "at": at(18), "state": "ERROR", "timestamp": at(5), "operator": "Ann"},
        {"type": "state-reported", "at": at(20), "state": "NORMAL", "timestamp": at(20)},
    ]
    assert {entry["id"] for entry in item["story"]} <= {one["detail"]["id"] for one in published}
    assert [entry["id"] for entry in item["story"] if entry["type"] == "state-reported"] == [warning, error, normal]


def test_episodes_are_listed_newest_first_and_the_last_may_go_on(loop: Loop, three: str) -> None:
    page = story(loop, three)

    assert spans(page) == [(at(7), None), (at(4), at(6)), (at(1), at(2))]
    assert page.keys() == {"items"}


@pytest.mark.parametrize("limit", ["1", "2", "3"])
def test_a_story_is_paged_by_episodes(loop: Loop, three: str, limit: str) -> None:
    found_pages = pages(loop, EPISODES, {"id": three}, limit=limit)

    assert all(len(items) <= int(limit) for items in found_pages)
    assert [item for items in found_pages for item in items] == story(loop, three)["items"]


def test_a_cursor_of_other_equipment_or_of_another_list_is_refused(loop: Loop, three: str, equipment_id: str) -> None:
    cursor = story(loop, three, limit="1")["cursor"]
    reported(loop, f"{equipment_id} too", "ERROR", 0)

    answer = loop.request(EPISODES, path={"id": f"{equipment_id} too"}, query={"cursor": cursor})

    assert answer.status == 400
    assert [error["field"] for error in answer.body["errors"]] == ["query.cursor"]
    assert story(loop, three, cursor=cursor, limit="5")["items"]


def test_a_cursor_that_is_tampered_with_is_refused(loop: Loop, three: str) -> None:
    cursor = story(loop, three, limit="1")["cursor"]

    for place, character in enumerate(cursor):
        tampered = cursor[:place] + ("A" if character != "A" else "B") + cursor[place + 1 :]
        answer = loop.request(EPISODES, path={"id": three}, query={"cursor": tampered})

        assert answer.status == 400 or answer.body["items"] == story(loop, three, cursor=cursor)["items"]


def test_an_episode_that_is_longer_than_a_page_is_split(
    loop: Loop, equipment_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for minute in range(7):
        reported(loop, equipment_id, "ERROR", minute)
    reported(loop, equipment_id, "NORMAL", 7)
    monkeypatch.setattr(episode_pages, "EVENTS_READ", 3)

    parts = [item for items in pages(loop, EPISODES, {"id": equipment_id}) for item in items]

    assert [(part["startedAt"], part["endedAt"], part["partial"]) for part in parts] == [
        (at(5), at(7), True),
        (at(2), None, True),
        (at(0), None, True),
    ]
    assert [entry["at"] for part in reversed(parts) for entry in part["story"]] == [at(minute) for minute in range(8)]


def test_an_episode_that_fits_on_the_next_page_is_not_begun_on_this_one(
    loop: Loop, three: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(episode_pages, "EVENTS_READ", 3)

    found_pages = pages(loop, EPISODES, {"id": three})

    assert [[(item["startedAt"], item["endedAt"]) for item in items] for items in found_pages if items] == [
        [(at(7), None)],
        [(at(4), at(6))],
        [(at(1), at(2))],
    ]


def test_what_is_done_about_an_episode_of_another_page_stands_beside_those_of_this_one(
    loop: Loop, equipment_id: str
) -> None:
    has_three(loop, equipment_id)
    with frozen_clock(NOW + 8 * MINUTE):
        assign(loop, equipment_id, "Liz", path=log(equipment_id, "ERROR", 1))
        loop.run()

    newest = story(loop, equipment_id, limit="1")
    whole = story(loop, equipment_id)

    assert [(one["type"], one["at"], one["timestamp"]) for one in newest["others"]] == [
        ("operator-assigned", at(8), at(1))
    ]
    assert types(newest["items"][0]) == ["state-reported"]
    assert "others" not in whole
    assert types(whole["items"][2]) == ["state-reported", "state-reported", "operator-assigned"]


def test_what_is_done_about_a_normal_log_belongs_to_no_episode(loop: Loop, equipment_id: str) -> None:
    reported(loop, equipment_id, "ERROR", 0)
    reported(loop, equipment_id, "NORMAL", 1)
    swept(loop, 32)

    page = story(loop, equipment_id)

    assert [types(item) for item in page["items"]] == [["state-reported", "state-reported"]]
    assert [(one["type"], one["since"]) for one in page["others"]] == [("equipment-silent", at(1))]


def test_a_report_that_came_late_takes_its_place_in_the_story(loop: Loop, equipment_id: str) -> None:
    open_shop(loop, equipment_id)
    for minute, state in ((0, "ERROR"), (10, "NORMAL"), (20, "ERROR"), (30, "NORMAL")):
        reported(loop, equipment_id, state, minute)
    before = story(loop, equipment_id)

    with frozen_clock(NOW + 40 * MINUTE):
        reported(loop, equipment_id, "NORMAL", 5)
        reported(loop, equipment_id, "WARNING1", 15)
    after = story(loop, equipment_id)

    assert spans(before) == [(at(20), at(30)), (at(0), at(10))]
    assert spans(after) == [(at(15), at(30)), (at(0), at(5))]
    assert types(after["items"][0]).count("operator-assigned") == 2


def test_events_that_have_expired_and_are_not_reaped_yet_are_left_out(loop: Loop, three: str) -> None:
    with frozen_clock(NOW + 33 * DAY * MINUTE + 3 * MINUTE):
        assert spans(story(loop, three)) == [(at(7), None), (at(4), at(6))]
    with frozen_clock(NOW + 33 * DAY * MINUTE + 5 * MINUTE):
        assert spans(story(loop, three)) == [(at(7), None)]
