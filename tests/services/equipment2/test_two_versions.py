"""A piece of equipment in both versions of its service: whoever works on either finds what was done last."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from contract.locations import FIELDS
from services.equipment import metadata
from services.equipment.tables import TABLE as FIRST_TABLE
from services.equipment2 import machine as second
from services.equipment2.tables import TABLE as SECOND_TABLE
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
    everything,
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
    """Whether both current rows say the same; `levels` with other levels than the seven counts as less."""
    one, other = get(loop, equipment_id), get2(loop, equipment_id)
    if one.status != 200 or other.status != 200:
        return one.status == other.status
    (first,), (again,) = told([one.body]), told([other.body])
    names = {level["level"]: level["name"] for level in other.body["levels"]}
    return {**first, "version": 0} == {**again, "version": 0} and one.body["location"] == {
        field: names.get(field, "-") for field in FIELDS
    }


def test_what_is_done_on_one_side_is_found_on_the_other_under_its_etag(loop: Loop, equipment_id: str) -> None:
    assert put2(loop, equipment_id, machine("made on v2")).status == 201
    assert types(loop.run()) == ["machine-created"]
    first = get(loop, equipment_id)
    assert (first.body["name"], first.body["location"], first.headers["etag"]) == ("made on v2", LOCATION, '"1"')

    assert put(loop, equipment_id, "changed on v1", if_match=1).status == 200
    assert types(loop.run()) == ["equipment-updated"]
    second_ = get2(loop, equipment_id)
    assert (second_.body["name"], second_.body["levels"], second_.headers["etag"]) == ("changed on v1", LEVELS, '"2"')

    assert put2(loop, equipment_id, machine("again on v2"), if_match=2).status == 200
    assert types(loop.run()) == ["machine-updated"]
    assert (get(loop, equipment_id).body["name"], get(loop, equipment_id).headers["etag"]) == ("again on v2", '"3"')
    assert types(loop.run()) == []


def test_a_page_that_was_read_before_an_edit_crossed_is_stale_on_both_sides(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    loop.run()
    put2(loop, equipment_id, machine("on v2"), if_match=1)
    loop.run()
    assert put(loop, equipment_id, "stale", if_match=1).status == 412
    assert put(loop, equipment_id, "on v1", if_match=2).status == 200
    loop.run()

    assert put2(loop, equipment_id, machine("stale"), if_match=2).status == 412
    assert put2(loop, equipment_id, machine("without a version")).status == 428
    assert in_step(loop, equipment_id)


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


def test_also_over_a_deletion_and_after_the_tombstone_went(loop: Loop, equipment_id: str) -> None:
    put2(loop, equipment_id, machine(levels=[*LEVELS, HALL]))
    loop.run()
    delete(loop, equipment_id, if_match=1)
    loop.run()
    put(loop, equipment_id)
    loop.run()

    assert get2(loop, equipment_id).body["levels"] == [*LEVELS, HALL]


@pytest.mark.parametrize("deleted_in", ["equipment", "equipment2"])
def test_a_tombstone_goes_on_both_sides_on_the_same_day(loop: Loop, equipment_id: str, deleted_in: str) -> None:
    put(loop, equipment_id)
    loop.run()
    (delete if deleted_in == "equipment" else delete2)(loop, equipment_id, if_match=1)
    loop.run()

    first = FIRST_TABLE.get(metadata.key_of(equipment_id), consistent=True) or {}
    again = SECOND_TABLE.get(second.key_of(equipment_id), consistent=True) or {}
    assert first["ttl"] == again["ttl"] == (NOW + 1) // 1000 + 33 * 86_400
    assert (first["deleted"], again["deleted"]) == (True, True)


@pytest.mark.parametrize("newer", ["equipment", "equipment2"])
def test_of_two_edits_at_once_the_newer_one_stays_and_of_one_millisecond_that_of_the_second_version(
    loop: Loop, equipment_id: str, newer: str
) -> None:
    put(loop, equipment_id)
    loop.run()
    with frozen_clock(NOW + (HOUR + 1 if newer == "equipment" else HOUR)):
        put(loop, equipment_id, "on v1", if_match=1)
    with frozen_clock(NOW + HOUR):
        put2(loop, equipment_id, machine("on v2"), if_match=1)
        assert sorted(types(loop.run())) == ["equipment-updated", "machine-updated"]

    name, versions_made = ("on v1", (2, 3)) if newer == "equipment" else ("on v2", (3, 2))
    first, again = get(loop, equipment_id).body, get2(loop, equipment_id).body
    assert (first["name"], again["name"]) == (name, name)
    assert (first["version"], again["version"]) == versions_made
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


def test_what_was_so_before_it_was_recorded_is_answered_alike(loop: Loop, equipment_id: str) -> None:
    put2(loop, equipment_id, machine("before"))
    loop.run()
    with frozen_clock(NOW + 24 * HOUR):
        put2(loop, equipment_id, machine("late", validFrom="2020-04-28T12:00:00Z"), if_match=1)
        loop.run()

    for at, name in [("2020-04-28T11:00Z", "before"), ("2020-04-28T12:00Z", "late")]:
        for read in (get, get2):
            assert read(loop, equipment_id, query={"asOf": at}).body["name"] == name
    for read in (get, get2):
        known = {"asOf": "2020-04-28T12:00Z", "knownAt": "2020-04-28T13:00Z"}
        assert read(loop, equipment_id, query=known).body["name"] == "before"


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


def test_rows_that_crossed_are_latched_and_say_where_from_until_somebody_edits_them_here(
    loop: Loop, equipment_id: str
) -> None:
    put(loop, equipment_id)
    loop.run()

    crossed = SECOND_TABLE.get(second.key_of(equipment_id), consistent=True) or {}
    assert (crossed["latched"], crossed["origin"]) == (True, "equipment")
    put2(loop, equipment_id, machine("here"), if_match=1)
    edited = SECOND_TABLE.get(second.key_of(equipment_id), consistent=True) or {}
    assert not {"latched", "origin", "hops"} & edited.keys()
    loop.run()
    back = FIRST_TABLE.get(metadata.key_of(equipment_id), consistent=True) or {}
    assert (back["latched"], back["origin"]) == (True, "equipment2")


def test_a_retry_of_a_command_whose_result_was_crossed_over_is_answered_as_the_first_time(
    loop: Loop, equipment_id: str
) -> None:
    put(loop, equipment_id)
    loop.run()
    first = put(loop, equipment_id, "on v1", if_match=1)
    loop.run()
    put2(loop, equipment_id, machine("on v2"), if_match=2)
    loop.run()

    again = put(loop, equipment_id, "on v1", if_match=1)

    assert (again.status, again.body) == (first.status, first.body)


def test_an_event_that_comes_twice_or_late_changes_nothing(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id, "first")
    first = loop.run()
    put(loop, equipment_id, "again", if_match=1)
    second_ = loop.run()
    before = versions2(loop, equipment_id)

    loop.listen([json.dumps(event) for event in [*first, *second_, *first]])

    assert versions2(loop, equipment_id) == before
    assert loop.run() == []
    assert everything(loop, "GET /v2/equipment/{id}/versions", {"id": equipment_id}) == before
