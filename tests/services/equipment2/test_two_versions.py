"""A piece of equipment in both versions of its service: whoever works on either finds what was done last."""

from collections.abc import Callable
from typing import Any

from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from contract.levels import FIELDS
from tests.support.samples import NOW
from tests.support.services.machines import (
    CELL,
    HALL,
    LEVELS,
    delete2,
    get2,
    machine,
    put2,
    roll_back2,
    versions2,
)
from tests.support.services.versions import (
    LOCATION,
    PUT,
    audit,
    delete,
    equipment,
    get,
    put,
    roll_back,
    tag,
    versions,
)

HOUR = 3_600_000

Command = Callable[[], Answer]


def types(published: list[dict[str, Any]]) -> list[str]:
    return [event["detail-type"] for event in published]


def told(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out the location, which the two say in different ways."""
    return [{name: value for name, value in one.items() if name not in {"location", "levels"}} for one in history]


def in_step(loop: Loop, equipment_id: str) -> bool:
    """Return True if both current rows have the same content; other levels than the seven count as less."""
    one, other = get(loop, equipment_id), get2(loop, equipment_id)
    if one.status != 200 or other.status != 200:
        return one.status == other.status
    (first,), (again,) = told([one.body]), told([other.body])
    names = {level["level"]: level["name"] for level in other.body["levels"]}
    return {**first, "version": 0} == {**again, "version": 0} and one.body["location"] == {
        field: names.get(field, "-") for field in FIELDS
    }


def test_the_whole_history_is_on_both_sides(loop: Loop, equipment_id: str) -> None:
    since = "2020-04-27T20:00:00.000Z"
    steps: list[Command] = [
        lambda: put(loop, equipment_id, "first", subject="Ann"),
        lambda: put2(loop, equipment_id, machine("second", [*LEVELS, HALL]), if_match=1),
        lambda: put(loop, equipment_id, "third", if_match=2, subject="Bea"),
        lambda: roll_back2(loop, equipment_id, 2, if_match=3),
        lambda: delete(loop, equipment_id, if_match=4, subject="Ann"),
        lambda: put2(loop, equipment_id, machine("sixth", validFrom=since)),
        lambda: delete2(loop, equipment_id, if_match=6),
        lambda: put(loop, equipment_id, "eighth"),
        lambda: roll_back(loop, equipment_id, 6, if_match=8),
    ]
    published = []
    for minute, step in enumerate(steps):
        with frozen_clock(NOW + minute * 60_000):
            assert step().status in {200, 201, 204}
            published += loop.run()

    first, again = versions(loop, equipment_id), versions2(loop, equipment_id)

    assert [one["version"] for one in first] == list(range(9, 0, -1))
    assert told(first) == told(again)
    assert [one["version"] for one in first if one.get("deleted")] == [7, 5]
    assert first[3]["validFrom"] == since
    assert first[-1]["changedBy"] == again[-1]["changedBy"] == "Ann"
    assert types(published) == [
        "equipment-created",
        "machine-updated",
        "equipment-updated",
        "machine-updated",
        "equipment-deleted",
        "machine-undeleted",
        "machine-deleted",
        "equipment-undeleted",
        "equipment-updated",
    ]


def test_levels_that_only_the_second_version_has_survive_an_edit_on_the_first(loop: Loop, equipment_id: str) -> None:
    put2(loop, equipment_id, machine(levels=[HALL, *LEVELS[:3], CELL]))
    loop.run()
    assert get(loop, equipment_id).body["location"] == {**LOCATION, **dict.fromkeys(FIELDS[3:], "-")}
    location = {**LOCATION, "country": "BR", "region": "-"}
    loop.request(PUT, path={"id": equipment_id}, body=equipment() | {"location": location}, headers=tag(1))
    loop.run()

    levels = [HALL, LEVELS[0], {"level": "country", "name": "BR"}, *LEVELS[3:], CELL]
    assert get2(loop, equipment_id).body["levels"] == levels
    assert in_step(loop, equipment_id)


def test_as_of_a_millisecond_with_two_edits_it_is_the_later_one_on_both_sides(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id, "on v1")
    put2(loop, equipment_id, machine("on v2"))
    loop.run()
    with frozen_clock(NOW + HOUR):
        put2(loop, equipment_id, machine("later"), if_match=1)
        loop.run()

    at = "2020-04-28T00:00:00.000Z"
    assert [one["changedAt"] for one in versions(loop, equipment_id)].count(at) == 2
    for read in (get, get2):
        assert read(loop, equipment_id, query={"asOf": at}).body["name"] == "on v2"
        assert read(loop, equipment_id, query={"knownAt": at}).body["name"] == "on v2"
        assert read(loop, equipment_id).body["name"] == "later"


def test_equipment_that_was_made_in_the_second_version_can_be_audited_and_stands_on_the_board(
    loop: Loop, equipment_id: str
) -> None:
    put2(loop, equipment_id, machine("on v2"))
    assert audit(loop, equipment_id).status == 404
    loop.run()

    assert audit(loop, equipment_id).status == 201
    loop.run()
    board = loop.request("GET /equipment/{id}/board", path={"id": equipment_id}).body
    assert (board["name"], board["location"], board["lastAudit"]["result"]) == ("on v2", LOCATION, "passed")


def test_the_board_shows_what_both_sides_say_and_who_wrote_on_either_can_wait_for_it(
    loop: Loop, equipment_id: str
) -> None:
    writes: list[Command] = [
        lambda: put(loop, equipment_id, "on v1"),
        lambda: put2(loop, equipment_id, machine("on v2"), if_match=1),
        lambda: put(loop, equipment_id, "on v1 again", if_match=2),
    ]
    for number, write in enumerate(writes):
        written = write()
        after = {"after": written.headers["x-after"]}
        path = {"id": equipment_id}
        assert loop.request("GET /equipment/{id}/board", path=path, query=after).status == 202, number
        loop.run()
        shown = loop.request("GET /equipment/{id}/board", path=path, query=after)
        assert (shown.status, shown.body["name"]) == (200, written.body["name"])
