"""The need of a member: what a consumer does without it, and with other values, is what is said of it."""

from typing import Any, Final, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.runtime.json_types import JsonObject
from andon.tools.contracts import need
from andon.tools.contracts.members import (
    ITEM,
    Path,
    changed,
    members_of,
    path_in,
    paths_in,
    text_of,
    values_at,
    with_member,
    without,
)
from andon.tools.contracts.need import UNUSED, LostMember, Need, Probe, run_of, together
from andon.tools.contracts.publishers import schema_of
from toys.made_types import VALUES

NAMES: Final = ("id", "place", "size", "owner")
OTHER_KINDS: Final = frozenset(need.KINDS) - {"a text"}
NEAR: Final = frozenset({"an empty text", need.ANOTHER_TEXT})

REQUIRED: Final = Need(LostMember.REQUIRED, keeps=True, refuses=OTHER_KINDS)
CHECKED: Final = Need(LostMember.REQUIRED, refuses=OTHER_KINDS)
LOST: Final = Need(LostMember.LOST, keeps=True)

USES: Final[dict[str, Need]] = {"require": REQUIRED, "check": CHECKED, "keep": LOST, "ignore": UNUSED}
PATHS: Final = st.lists(st.sampled_from((*NAMES, ITEM)), min_size=1, max_size=3).map(tuple)


class Thing(TypedDict):
    id: str
    place: str
    size: str
    owner: str


class CatalogPart(TypedDict):
    name: str
    colour: NotRequired[str]


class Whole(TypedDict):
    parts: list[CatalogPart]


MEMBERS: Final = members_of(schema_of(Thing))
EVENT: Final[JsonObject] = {"id": "a", "place": "north", "size": "8", "owner": "ann"}


def consumer(uses: dict[str, str]) -> Any:  # noqa: ANN401  a function
    def read(event: JsonObject) -> object:
        kept = {}
        for name, use in uses.items():
            if use in {"require", "check"} and not isinstance(event[name], str):
                raise TypeError(name)
            if use in {"require", "keep"}:
                kept[name] = event.get(name)
        return kept

    return read


def needs_of(read: Any, event: JsonObject, members: Any = MEMBERS) -> dict[Path, Need]:  # noqa: ANN401
    return Probe(run_of(read), event, members, {}).needs()


@given(st.fixed_dictionaries({name: st.sampled_from(sorted(USES)) for name in NAMES}))
def test_the_needs_of_a_consumer_are_what_it_does(uses: dict[str, str]) -> None:
    said = {(name,): USES[use] for name, use in uses.items() if use != "ignore"}

    assert needs_of(consumer(uses), EVENT) == said


def test_a_consumer_that_fails_at_the_event_itself_says_nothing_of_its_needs() -> None:
    assert needs_of(consumer(dict.fromkeys(NAMES, "require")), {"id": "a"}) == {}


def test_a_member_that_the_event_lacks_is_asked_about_with_an_example() -> None:
    lacking = {name: value for name, value in EVENT.items() if name != "owner"}
    probe = Probe(run_of(consumer({"owner": "keep"})), lacking, MEMBERS, {("owner",): "liz"})

    assert probe.needs() == {("owner",): LOST}


def test_members_of_items_are_asked_about_in_all_items_at_once() -> None:
    event: JsonObject = {"parts": [{"name": "a", "colour": "red"}, {"name": "b"}]}

    needs = needs_of(lambda one: [part["name"] for part in one["parts"]], event, members_of(schema_of(Whole)))

    assert needs[path_in("parts[].name")].gone is LostMember.REQUIRED
    assert path_in("parts[].colour") not in needs


def test_what_a_consumer_does_not_read_is_not_looked_into() -> None:
    event: JsonObject = {"parts": [{"name": "a"}]}
    probe = Probe(run_of(lambda _: None), event, members_of(schema_of(Whole)), {})

    assert probe.needs() == {}
    asked_about_the_whole = 2 + len(need.others(event["parts"], {"type": "array"}))
    assert probe.runs == asked_about_the_whole


@given(*[st.builds(Need, st.sampled_from(LostMember), st.booleans(), st.frozensets(st.sampled_from(["a", "b"])))] * 3)
def test_needs_of_several_events_are_put_together_in_any_order(one: Need, two: Need, three: Need) -> None:
    path = ("id",)

    assert (one | two) | three == one | (two | three) == together([{path: three}, {path: one}, {path: two}])[path]
    assert one | UNUSED == one


def test_the_gravest_effect_counts() -> None:
    assert [Need(one) | Need(other) for one in LostMember for other in LostMember if one is not other].count(
        REQUIRED._replace(keeps=False, refuses=frozenset())
    ) == 4


@pytest.mark.parametrize(
    ("value", "name", "other"),
    [
        ("2026-01-02T03:04:05.678Z", "another time", "2026-01-02T03:05:06.678Z"),
        ("2026-01-02T03:04:05.678Z", "a time without milliseconds", "2026-01-02T03:04:05Z"),
        ("2026-12-31", "another day", "2027-01-01"),
        ("WARNING1", need.ANOTHER_TEXT, "WARNING2"),
        ("press-9", need.ANOTHER_TEXT, "press-0"),
        ("0f", need.ANOTHER_TEXT, "0a"),
        ("LINE Z", need.ANOTHER_TEXT, "LINE A"),
        ("", need.ANOTHER_TEXT, "x"),
        (8, "a fraction", 8.5),
        (True, "the other truth value", False),
        ([1], "an empty list", []),
        ({"a": 1}, "a member that is not known", {"a": 1, "notKnown": "text"}),
    ],
)
def test_other_values_are_near_the_true_one(value: object, name: str, other: object) -> None:
    assert need.others(value, {})[name] == other


@given(VALUES)
def test_no_other_value_is_the_same_and_one_of_each_other_kind_is_among_them(value: object) -> None:
    others = need.others(value, {"enum": ["north", "south"]})

    assert need.kind_of(value) not in others
    assert {*need.KINDS} - {need.kind_of(value)} <= {*others}
    if value not in ({}, [], 0, ""):
        assert all(repr(one) != repr(value) for one in others.values())


@given(VALUES, PATHS)
def test_a_path_leads_to_what_was_put_there_and_to_nothing_once_that_is_gone(value: Any, path: Path) -> None:  # noqa: ANN401
    assert path_in(text_of(("thing", *path))) == ("thing", *path)
    assert (path in {*paths_in(value)}) == bool(values_at(value, path))
    if path[-1] != ITEM:
        there = values_at(value, path[:-1])
        objects = sum(isinstance(one, dict) for one in there)
        assert values_at(with_member(value, path, "put"), path) == ["put"] * objects
        assert values_at(without(value, path), path) == []
        assert without(with_member(value, path, "put"), path) == without(value, path)
    assert values_at(changed(value, path, lambda _: "put"), path) == ["put"] * len(values_at(value, path))
