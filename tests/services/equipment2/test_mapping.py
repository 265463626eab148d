"""Laws of the two mappings: an edit that comes back says the same, and what the other side cannot hold is kept."""

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from contract.entities.equipment import EquipmentEntity, LevelEntity, LocationEntity, MachineEntity
from contract.levels import FIELDS, NOT_SAID
from contract.locations import levels_of
from services.equipment import mapping as old
from services.equipment2 import mapping as new
from tests.support.services.machines import PLACES

OTHERS = st.sampled_from(["hall", "cell", "floor", "bay"])
SAID = PLACES.filter(lambda name: name != NOT_SAID)
WHAT = st.fixed_dictionaries(
    {
        "id": st.just("press-7"),
        "version": st.integers(1, 9),
        "name": st.text(min_size=1),
        "factoryId": st.just("gdl-1"),
    },
    optional={"validFrom": st.just("2020-04-20T06:00:00.000Z"), "deleted": st.sampled_from([True])},
)
LOCATIONS = st.fixed_dictionaries(dict.fromkeys(FIELDS, PLACES | st.just(NOT_SAID)))


@st.composite
def lists_of_levels(draw: st.DrawFn) -> list[LevelEntity]:
    """Draw some of the seven levels and some others, in any order."""
    some = draw(st.lists(st.sampled_from(FIELDS[1:]), unique=True))
    others = draw(st.lists(OTHERS, unique=True))
    order = draw(st.permutations(["company", *some, *others]))
    return [{"level": level, "name": draw(SAID)} for level in order]


@st.composite
def equipment(draw: st.DrawFn) -> EquipmentEntity:
    return cast("EquipmentEntity", {**draw(WHAT), "lineId": "3", "location": draw(LOCATIONS)})


@st.composite
def machines(draw: st.DrawFn) -> MachineEntity:
    return cast("MachineEntity", {**draw(WHAT), "lineId": "3", "levels": draw(lists_of_levels())})


@given(equipment())
def test_equipment_comes_back_as_it_went(one: EquipmentEntity) -> None:
    assert old.from_theirs(new.from_theirs(one, upon=None)) == one


@given(machines())
def test_a_machine_comes_back_as_it_went_with_all_that_the_other_side_cannot_say(one: MachineEntity) -> None:
    assert new.from_theirs(old.from_theirs(one), upon=one) == one


@given(equipment(), machines())
def test_after_an_edit_of_the_first_version_both_say_the_same_and_other_levels_are_kept(
    edit: EquipmentEntity, upon: MachineEntity
) -> None:
    after = new.from_theirs(edit, upon=upon)

    assert old.from_theirs(after) == edit
    before, levels, location = upon["levels"], after["levels"], cast("dict[str, str]", edit["location"])
    assert [one for one in levels if one["level"] not in FIELDS] == [
        one for one in before if one["level"] not in FIELDS
    ]
    stayed = [one["level"] for one in before if location.get(one["level"]) != NOT_SAID]
    assert [one["level"] for one in levels if one["level"] in stayed] == stayed, "the order is kept"
    assert len({one["level"] for one in levels}) == len(levels)


def location(names: str) -> LocationEntity:
    said: Any = dict(zip(FIELDS, names, strict=True))
    return cast("LocationEntity", said)


def test_a_new_level_stands_behind_the_one_before_it() -> None:
    upon: list[LevelEntity] = [{"level": level, "name": "x"} for level in ("city", "hall", "company", "cell")]

    levels = [one["level"] for one in levels_of(location("abcdefg"), upon)]

    assert levels == ["city", "neighborhood", "hall", "company", "country", "region", "state", "county", "cell"]


def test_without_a_row_the_levels_stand_in_the_order_of_the_fields() -> None:
    assert [one["name"] for one in levels_of(location("abc-efg"), ())] == list("abcefg")
