"""A location as a list of levels: which lists are taken, and where the board shows them."""

import pytest

from andon.testing.loop import Loop
from contract.entities.equipment import LevelEntity
from contract.levels import FIELDS
from tests.support.services.machines import CELL, HALL, LEVELS, get2, machine, put2

COMPANY: LevelEntity = {"level": "company", "name": "Acme"}


@pytest.mark.parametrize(
    "levels",
    [
        LEVELS,
        [*LEVELS, HALL, CELL],
        [HALL, *LEVELS[::-1]],
        [COMPANY],
        [COMPANY, HALL],
        [*LEVELS, *({"level": f"l{number}", "name": "1"} for number in range(9))],
    ],
    ids=["all", "others besides", "another order", "the company alone", "few", "as many as there may be"],
)
def test_a_location_is_kept_as_it_was_said(loop: Loop, equipment_id: str, levels: list[LevelEntity]) -> None:
    assert put2(loop, equipment_id, machine(levels=levels)).status == 201

    assert get2(loop, equipment_id).body["levels"] == levels


@pytest.mark.parametrize(
    "levels",
    [
        [],
        LEVELS[1:],
        [*LEVELS, LEVELS[3]],
        [*LEVELS, {"level": "Hall", "name": "3"}],
        [*LEVELS, {"level": "hall", "name": ""}],
        [*LEVELS, {"level": "hall", "name": "a/b"}],
        [*LEVELS, {"level": "hall", "name": "-"}],
        [*LEVELS, {"level": "hall"}],
        [*LEVELS, {**HALL, "floor": "1"}],
        [*LEVELS, *({"level": f"l{number}", "name": "1"} for number in range(10))],
        [COMPANY, *({"level": f"l{number}", "name": "1"} for number in range(10))],
    ],
    ids=[
        "none",
        "no company",
        "one twice",
        "no name of a level",
        "no name",
        "a path",
        "what says nothing",
        "half",
        "more than half",
        "too many",
        "too many besides the seven",
    ],
)
def test_what_is_no_location_is_refused(loop: Loop, equipment_id: str, levels: list[LevelEntity]) -> None:
    answer = put2(loop, equipment_id, machine(levels=levels))

    assert answer.status == 400
    assert {error["field"].split(".")[1] for error in answer.body["errors"]} == {"levels"}


def test_the_seven_together_are_as_long_as_the_boards_key_at_most_and_others_do_not_count(
    loop: Loop, equipment_id: str
) -> None:
    """The first version has the same bound, so that whatever is accepted here can cross."""
    long: list[LevelEntity] = [{"level": level, "name": "é" * 120} for level in FIELDS]
    others: list[LevelEntity] = [{"level": f"l{number}", "name": "é" * 120} for number in range(9)]

    refused = put2(loop, equipment_id, machine(levels=long))
    taken = put2(loop, equipment_id, machine(levels=[*long[:2], *others]))

    assert (refused.status, [error["field"] for error in refused.body["errors"]]) == (400, ["body.levels"])
    assert taken.status == 201


def test_the_board_shows_the_seven_with_a_dash_for_what_is_not_said(loop: Loop, equipment_id: str) -> None:
    city: LevelEntity = {"level": "city", "name": "Guadalajara"}
    put2(loop, equipment_id, machine(levels=[HALL, city, COMPANY]))
    loop.run()

    place = loop.request("GET /equipment/{id}/board", path={"id": equipment_id}).body["location"]

    assert place == {**dict.fromkeys(FIELDS, "-"), "company": "Acme", "city": "Guadalajara"}
    listed = loop.request("GET /board/{company}", path={"company": "Acme"}, query={"location": "-/-"}).body["items"]
    assert equipment_id in [item["equipmentId"] for item in listed]
