"""The laws of the mapping: what one side says of a piece of equipment, said by the other side and said back."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from contract.entities import LevelEntity, LocationEntity
from contract.locations import FIELDS, NOT_SAID, levels_of, location_of
from patterns.events.domain_event import Entity
from services.equipment import mapping as to_first
from services.equipment import metadata
from services.equipment2 import machine
from services.equipment2 import mapping as to_second
from tests.support.services.machines import PLACES

LINES = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=5)
VALID_FROM = st.none() | st.integers(0, 4 * 10**12)
OTHERS = st.sampled_from(["hall", "cell", "floor", "bay"])
SAID = PLACES.filter(lambda name: name != NOT_SAID)

LOCATIONS = st.fixed_dictionaries({field: PLACES | st.just(NOT_SAID) for field in FIELDS})


@st.composite
def lists_of_levels(draw: st.DrawFn) -> list[LevelEntity]:
    """Draw some of the seven levels and some others, in any order."""
    some = draw(st.lists(st.sampled_from(FIELDS[1:]), unique=True))
    others = draw(st.lists(OTHERS, unique=True))
    order = draw(st.permutations(["company", *some, *others]))
    return [{"level": level, "name": draw(SAID)} for level in order]


def first(location: LocationEntity, name: str = "press", valid_from: int | None = None) -> metadata.EquipmentContent:
    return {"name": name, "factoryId": "gdl-1", "lineId": "3", "location": location, "validFrom": valid_from}


def second(levels: list[LevelEntity], name: str = "press", valid_from: int | None = None) -> machine.MachineContent:
    return {"name": name, "factoryId": "gdl-1", "lineId": "3", "levels": levels, "validFrom": valid_from}


def said_by_first(content: metadata.EquipmentContent) -> Entity:
    row: Any = {**content, **metadata.mark_of("press 7"), "version": 1}
    return Entity("equipment", dict(metadata.entity_of(row)))


def said_by_second(content: machine.MachineContent) -> Entity:
    row: Any = {**content, **machine.mark_of("press 7"), "version": 1}
    return Entity("machine", dict(machine.entity_of(row)))


@given(LOCATIONS, LINES, VALID_FROM)
def test_what_the_first_version_says_comes_back_as_it_was(location: Any, name: str, valid_from: int | None) -> None:  # noqa: ANN401
    content = first(location, name, valid_from)

    there = to_second.from_theirs(said_by_first(content), None)

    assert to_first.from_theirs(said_by_second(there)) == content


@given(lists_of_levels(), LINES, VALID_FROM)
def test_what_the_second_version_says_comes_back_as_it_was_with_all_that_the_first_cannot_say(
    levels: list[LevelEntity], name: str, valid_from: int | None
) -> None:
    content = second(levels, name, valid_from)

    there = to_first.from_theirs(said_by_second(content))

    assert to_second.from_theirs(said_by_first(there), content) == content


@given(LOCATIONS, lists_of_levels())
def test_after_an_edit_of_the_first_version_both_say_the_same_and_other_levels_are_kept(
    location: Any,  # noqa: ANN401
    before: list[LevelEntity],
) -> None:
    after = to_second.from_theirs(said_by_first(first(location)), second(before))["levels"]

    assert location_of(after) == location
    assert [one for one in after if one["level"] not in FIELDS] == [one for one in before if one["level"] not in FIELDS]
    stayed = [one["level"] for one in before if one in after or location.get(one["level"]) not in {None, NOT_SAID}]
    assert [one["level"] for one in after if one["level"] in stayed] == stayed, "the order is kept"
    assert len({one["level"] for one in after}) == len(after)


def test_a_new_level_stands_behind_the_one_before_it() -> None:
    location = dict(zip(FIELDS, "abcdefg", strict=True))
    upon: list[LevelEntity] = [{"level": level, "name": "x"} for level in ("city", "hall", "company", "cell")]

    levels = [one["level"] for one in levels_of(location, upon)]

    assert levels == ["city", "neighborhood", "hall", "company", "country", "region", "state", "county", "cell"]


def test_without_a_row_the_levels_stand_in_the_order_of_the_fields() -> None:
    location = dict(zip(FIELDS, "abc-efg", strict=True))

    assert [one["name"] for one in levels_of(location, ())] == list("abcefg")
