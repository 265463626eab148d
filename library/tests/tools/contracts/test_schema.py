"""Schemas of types: what fits them, by the validator of others; what breaks who reads an older one."""

from typing import Any, Literal, NotRequired, TypedDict, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from andon.tools.contracts.diff import MISSING, NOT_SAID, Change, SchemaChange, changes, is_break, misfits
from andon.tools.contracts.members import members_of, path_in
from andon.tools.contracts.need import ANOTHER_TEXT
from andon.tools.contracts.publishers import NoSchema, schema_of
from toys.made_types import ENTITIES, fitting, near


class Ref(TypedDict):
    id: str


class Call(TypedDict):
    call: str


class Thing(TypedDict):
    """A thing. What it is about."""

    id: str
    size: int
    kind: Literal["small", "large"]
    note: NotRequired[str]
    about: list[Ref | Call]


class Round(TypedDict):
    inner: NotRequired["Round"]


def strict(schema: Any) -> Any:  # noqa: ANN401  any JSON
    """The schema of objects that have no other members."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {"additionalProperties": False} if "properties" in schema else {}
    return {**{name: strict(one) for name, one in schema.items()}, **closed}


def differing(**members: object) -> list[SchemaChange]:
    """What changes if some members of a thing are of other types; None: they are gone."""
    hints = get_type_hints(Thing, include_extras=True) | members
    after = TypedDict("Thing", {name: one for name, one in hints.items() if one is not None})  # type: ignore[misc]
    return changes(members_of(schema_of(Thing)), members_of(schema_of(after)))


def change(path: str, kind: Change, value: str = "") -> SchemaChange:
    return SchemaChange(path_in(path), kind, value)


@given(ENTITIES, st.data())
def test_a_value_fits_a_schema_exactly_if_the_validator_of_others_says_so(kind: object, data: st.DataObject) -> None:
    schema = schema_of(kind)
    value = data.draw(near(schema))

    Draft202012Validator.check_schema(schema)
    assert (misfits(value, schema) == []) == Draft202012Validator(strict(schema)).is_valid(value)


@given(ENTITIES, ENTITIES, st.data())
def test_what_a_reader_of_the_older_schema_does_not_expect_is_a_break(
    older: object, newer: object, data: st.DataObject
) -> None:
    before, after = schema_of(older), schema_of(newer)
    value = data.draw(fitting(after))

    is_said = misfits(value, after) == []
    is_expected = [one for one in misfits(value, before) if one.why != NOT_SAID] == []
    assert is_expected or not is_said or any(map(is_break, changes(members_of(before), members_of(after))))


@given(ENTITIES)
def test_a_schema_is_no_change_of_itself(kind: object) -> None:
    members = members_of(schema_of(kind))

    assert changes(members, members) == []


@pytest.mark.parametrize(
    ("after", "different"),
    [
        ({"note": None}, [change("note", Change.GONE)]),
        ({"size": NotRequired[int]}, [change("size", Change.OPTIONAL)]),
        ({"size": float}, [change("size", Change.KIND, "a fraction")]),
        ({"size": str}, [change("size", Change.KIND, "a text")]),
        ({"size": int | None}, [change("size", Change.KIND, "null")]),
        ({"kind": Literal["small"]}, []),
        ({"kind": Literal["small", "large", "huge"]}, [change("kind", Change.VALUE, '"huge"')]),
        ({"kind": str}, [change("kind", Change.VALUE, ANOTHER_TEXT)]),
        ({"note": str}, []),
        ({"colour": str}, [change("colour", Change.NEW)]),
        ({"about": list[Ref]}, [change("about[].call", Change.GONE)]),
        ({"about": None, "on": list[Ref]}, [change("about", Change.GONE), change("on", Change.NEW)]),
    ],
    ids=str,
)
def test_a_change_is_said_once_at_the_outermost_member(after: dict[str, object], different: list[SchemaChange]) -> None:
    assert differing(**after) == different


def test_only_a_new_member_is_no_break() -> None:
    assert {one: is_break(change("id", one)) for one in Change} == {one: one is not Change.NEW for one in Change}


def test_a_member_of_one_of_several_objects_is_no_optional_one() -> None:
    """Without it, it would be none of them."""
    members = members_of(schema_of(Thing))

    assert not members[path_in("about[].call")].is_optional
    assert members[path_in("note")].is_optional


def test_an_object_is_held_against_the_alternative_that_it_fits_best() -> None:
    item = schema_of(Thing)["properties"]["about"]

    assert misfits([{"id": "a"}, {"call": "b"}], item) == []
    assert [(one.path, one.why) for one in misfits([{"call": "b", "more": 1}], item)] == [(("[]", "more"), NOT_SAID)]
    assert [one.why for one in misfits([{}], item)] == [MISSING]


@pytest.mark.parametrize("kind", [bytes, dict[int, str], tuple[str], set[str]])
def test_a_type_that_json_lacks_has_no_schema_and_its_member_is_named(kind: object) -> None:
    odd = TypedDict("Odd", dict(what=kind))  # type: ignore[misc]  # noqa: C408, UP013  of a type that is a parameter

    with pytest.raises(NoSchema, match=r"Odd\.what"):
        schema_of(odd)


def test_a_type_that_contains_itself_has_no_schema() -> None:
    with pytest.raises(NoSchema, match="Round contains itself"):
        schema_of(Round)


def test_the_docstring_is_the_description() -> None:
    said = schema_of(Thing)

    assert (said["title"], said["description"]) == ("Thing", "A thing. What it is about.")
    assert said["required"] == ["id", "size", "kind", "about"]
