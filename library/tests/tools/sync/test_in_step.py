"""Two versions of a service are compared by their rows, by what would cross."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.expressions import UNCONDITIONAL
from andon.sync.crossing import Crossing, Edit
from andon.tools.sync.compare import PublishedRows, SyncDifference, differences
from andon.tools.sync.in_step import ways
from toys.pair import NAMES, Name, Side
from toys.two_sides import CLOCK_MS, TwoSides


@pytest.fixture(scope="module")
def of_module() -> Iterator[TwoSides]:
    with TwoSides() as sides:
        yield sides


@pytest.fixture
def sides(of_module: TwoSides) -> TwoSides:
    of_module.clear()
    return of_module


def crossings(side: Side) -> dict[tuple[str, str], Crossing[Any]]:
    """Return the other service's crossing, by the source and type of each edit."""
    return dict.fromkeys(((str(side.name), event_type) for event_type in side.types), side.other.crossing)


def found(sides: TwoSides) -> list[SyncDifference]:
    """Return the differences, from either side."""
    return [
        one
        for side in sides.sides.values()
        for one in differences(
            PublishedRows(side.facts, sides.world.rows(side.table.variable)),
            {side.other.table.variable: sides.world.rows(side.other.table.variable)},
            crossings(side),
            now_ms=CLOCK_MS,
        )
    ]


def test_nothing_differs_where_nothing_is(sides: TwoSides) -> None:
    assert found(sides) == []


def test_what_has_crossed_does_not_differ_whatever_only_one_side_can_say(sides: TwoSides) -> None:
    sides.old.put("n", {"text": "a/b", "mood": "calm"}, now_ms=1)
    sides.new.put("m", {"lines": ["x"], "colour": "red"}, now_ms=1)
    sides.settle()
    sides.new.put("n", {"lines": ["y"], "colour": "blue"}, now_ms=2, if_match=1)
    sides.old.delete("m", now_ms=2, if_match=1)
    sides.settle()

    assert found(sides) == []


def test_what_is_on_its_way_is_there_only_on_one_side_or_newer_there(sides: TwoSides) -> None:
    sides.old.put("n", {"text": "a"}, now_ms=1)
    [missing] = found(sides)
    assert (missing.into, missing.edit, missing.there, missing.is_ahead) == ("new", Edit(1, "old"), None, True)
    assert str(missing) == "new n -: is not there; old has it of 1970-01-01T00:00:00.001Z in old"

    sides.settle()
    sides.new.put("n", {"lines": ["b"]}, now_ms=2, if_match=1)
    [behind] = found(sides)
    assert (behind.into, behind.edit, behind.there) == ("old", Edit(2, "new"), Edit(1, "old"))
    assert (
        str(behind) == "old n -: is of 1970-01-01T00:00:00.001Z in old; new has it of 1970-01-01T00:00:00.002Z in new"
    )


def test_what_says_something_else_of_the_same_edit_is_named_field_by_field(sides: TwoSides) -> None:
    sides.old.put("n", {"text": "a"}, now_ms=1)
    sides.settle()
    row = sides.row(sides.new) or {}
    sides.new.table.put({**row, "lines": ["spoiled"]}, condition=UNCONDITIONAL)

    one, other = found(sides)

    assert one.fields == {"lines": (["spoiled"], ["a"])}
    assert other.fields == {"text": ("a", "spoiled")}
    assert not one.is_ahead
    assert str(one) == "new n -: lines is ['spoiled'], not ['a'], though both are of 1970-01-01T00:00:00.001Z in old"


def test_what_is_deleted_on_one_side_only_differs(sides: TwoSides) -> None:
    sides.old.put("n", {"text": "a"}, now_ms=1)
    sides.settle()
    row = sides.row(sides.new) or {}
    sides.new.table.put({**row, "deleted": True}, condition=UNCONDITIONAL)

    assert [one.fields for one in found(sides)] == [{"deleted": (True, None)}, {"deleted": (None, True)}]


def test_a_row_that_has_expired_does_not_count(sides: TwoSides) -> None:
    sides.old.put("n", {"text": "a"}, now_ms=1)
    row = sides.row(sides.old) or {}
    sides.old.table.put({**row, "ttl": CLOCK_MS // 1000}, condition=UNCONDITIONAL)

    assert found(sides) == []


def test_an_edit_that_was_lost_where_it_was_made_is_shown_and_not_sent_back(sides: TwoSides) -> None:
    sides.new.put("n", {"lines": ["a"]}, now_ms=1)
    sides.settle()
    sides.new.table.delete({"pk": "n", "sk": "-"})

    [lost] = found(sides)
    assert (lost.into, lost.edit, lost.there, lost.is_sent) == ("new", Edit(1, "new"), None, False)

    sides.old.put("n", {"text": "b"}, now_ms=2, if_match=1)
    [ahead] = found(sides)
    assert ahead.is_sent
    sides.listen(sides.new, [ahead.message])
    assert found(sides) == []


EDITS = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(1, 5), st.sampled_from(["n", "m"])), max_size=8)


@given(EDITS, st.integers(0, 8))
def test_what_one_side_lacks_is_brought_over_by_what_is_sent(
    of_module: TwoSides, edits: list[tuple[Name, int, str]], lost_from: int
) -> None:
    """The messages of the edits from `lost_from` on are lost."""
    of_module.clear()
    for number, (name, clock_ms, note) in enumerate(edits):
        side, text = of_module.sides[name], f"edit {number}"
        row = of_module.row(side, note)
        said = {"text": text, "lines": [text]}
        side.put(note, said, now_ms=clock_ms, if_match=row["version"] if row else None)
        bodies = of_module.trigger(side, of_module.records(side))
        if number < lost_from:
            of_module.listen(side.other, bodies)

    for _ in range(2):  # sent twice, it is a duplicate
        for one in found(of_module):
            of_module.listen(next(side for side in of_module.sides.values() if side.name == one.into), [one.message])

    assert found(of_module) == []
    assert of_module.is_same("n")
    assert of_module.is_same("m")


def test_every_crossing_names_its_services_and_has_a_way_back() -> None:
    pairs = {(way.source.name, way.into.name) for way in ways()}

    assert pairs == {(into, source) for source, into in pairs}
    for way in ways():
        assert {topic[0] for topic in way.crossings} == {way.source.name}
        assert {crossing.theirs for crossing in way.crossings.values()} == {way.source.name}
        assert {crossing.own for crossing in way.crossings.values()} == {way.into.name}
