"""The story of a piece of equipment, over HTTP: its episodes, and what was done about them."""

from typing import Any

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from demo.people import ANN, LIZ, SARA
from tests.support.dispatch.shop import MINUTE, found, log, open_shop, reported, swept
from tests.support.samples import NOW
from tests.support.services.reports import EPISODES, acknowledge, assign

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


def test_equipment_that_is_well_has_no_story(loop: Loop, equipment_id: str) -> None:
    reported(loop, equipment_id, "NORMAL", 0)
    reported(loop, equipment_id, "NORMAL", 5)

    assert story(loop, equipment_id) == {"items": []}


def test_an_episode_says_who_did_what_when_and_why(loop: Loop, equipment_id: str) -> None:
    open_shop(loop, equipment_id, [LIZ])
    published = reported(loop, equipment_id, "WARNING1", 0) + reported(loop, equipment_id, "ERROR", 5)
    published += swept(loop, 16)
    with frozen_clock(NOW + 17 * MINUTE):
        acknowledge(loop, equipment_id, path=log(equipment_id, "ERROR", 5), subject="Bob")
    with frozen_clock(NOW + 18 * MINUTE):
        assign(loop, equipment_id, ANN, path=log(equipment_id, "ERROR", 5))
        published += loop.run()
    published += reported(loop, equipment_id, "NORMAL", 20)

    (item,) = story(loop, equipment_id)["items"]

    warning, error, normal = (one["detail"]["id"] for one in published if one["detail-type"] == "state-reported")
    triggers = {
        id_: {"id": id_, "type": "state-reported", "timestamp": NOW + minute * MINUTE}
        for id_, minute in ((warning, 0), (error, 5))
    }
    assert (item["startedAt"], item["endedAt"]) == (at(0), at(20))
    assert "partial" not in item
    said = [{name: value for name, value in entry.items() if name != "id"} for entry in item["story"]]
    # What was done in the same millisecond is told in any order, behind the report of that millisecond.
    assert said == sorted(said, key=lambda entry: (entry["at"], entry["type"] != "state-reported"))

    def told(kind: str, when: int, about: int, *upon: str, **more: str) -> Page:
        rule = {"operator-assigned": "assign", "equipment-at-risk": "at-risk", "state-escalated": "escalate"}.get(kind)
        why = {"by": "rule", "rule": rule, "triggers": [triggers[id_] for id_ in upon]} if upon else {}
        return {"type": kind, "at": at(when), "timestamp": at(about), **more, **why}

    seen = {"acknowledgedBy": "Bob", "acknowledgedAt": at(17)}
    assert sorted(said, key=lambda entry: (entry["at"], entry["type"] == "equipment-at-risk")) == [
        told("state-reported", 0, 0, state="WARNING1"),
        told("operator-assigned", 0, 0, warning, state="WARNING1", operator=LIZ),
        told("state-reported", 5, 5, state="ERROR"),
        told("operator-assigned", 5, 5, error, state="ERROR", operator=LIZ),
        told("equipment-at-risk", 5, 5, warning, error, since=at(0), reason="ERROR after WARNING"),
        told("state-escalated", 15, 0, warning, error, state="WARNING1", supervisor=SARA),
        told("state-acknowledged", 17, 5, state="ERROR", **seen),
        told("operator-assigned", 18, 5, state="ERROR", operator=ANN),
        told("state-reported", 20, 20, state="NORMAL"),
    ]
    assert {entry["id"] for entry in item["story"]} <= {one["detail"]["id"] for one in published}
    assert [entry["id"] for entry in item["story"] if entry["type"] == "state-reported"] == [warning, error, normal]


def test_episodes_are_listed_newest_first_and_the_last_may_go_on(loop: Loop, three: str) -> None:
    page = story(loop, three)

    assert spans(page) == [(at(7), None), (at(4), at(6)), (at(1), at(2))]
    assert page.keys() == {"items"}


def test_what_is_done_about_an_episode_of_another_page_stands_beside_those_of_this_one(
    loop: Loop, equipment_id: str
) -> None:
    has_three(loop, equipment_id)
    with frozen_clock(NOW + 8 * MINUTE):
        assign(loop, equipment_id, LIZ, path=log(equipment_id, "ERROR", 1))
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


def test_events_that_have_expired_and_are_not_reaped_yet_are_left_out(loop: Loop, three: str) -> None:
    with frozen_clock(NOW + 33 * DAY * MINUTE + 3 * MINUTE):
        assert spans(story(loop, three)) == [(at(7), None), (at(4), at(6))]
    with frozen_clock(NOW + 33 * DAY * MINUTE + 5 * MINUTE):
        assert spans(story(loop, three)) == [(at(7), None)]
