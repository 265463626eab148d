"""Models of declarations: a request is taken as the marks say, and a response shows what its declaration has."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from andon.http.arguments import Validator
from andon.http.derived import Default, Matches, PageOf, Shown, body_of, model_of, validated
from andon.http.models import fields_of
from andon.http.said import Last, Line, SomeLines
from andon.runtime.errors import Invalid
from andon.runtime.marks import Bounds, Named, Says, Takes
from andon.testing.lambda_events import http_event


def small(text: str) -> str:
    if text != text.lower():
        raise ValueError("must be small")
    return text


def require_different(parts: Sequence[Mapping[str, object]]) -> None:
    if len({str(one["name"]) for one in parts}) < len(parts):
        raise ValueError("must be different")


def require_bytes(text: str) -> str:
    if len(text.encode()) > 4:
        raise ValueError("must be at most 4 bytes")
    return text


class Part(TypedDict):
    """A part of a thing."""

    name: Line


class Thing(TypedDict):
    """A thing."""

    code: Annotated[str, Matches("^[a-z]+$"), Bounds(most=5), Says("lamp", "no")]
    level: Annotated[int, Bounds(1, 9), Default(5)]
    seen: NotRequired[Last]
    note: NotRequired[Annotated[str, Takes(SomeLines(4)), Takes(require_bytes), Says(personal="possible")]]
    measured: NotRequired[
        Annotated[
            dict[Annotated[str, Takes(small, {"pattern": "^[a-z]$"})], Annotated[float, Bounds(-10, 10)]], Bounds(1, 2)
        ]
    ]
    parts: NotRequired[Annotated[list[Part], Bounds(1, 2), Takes(require_different, {"uniqueItems": True})]]
    nothing: NotRequired[None]


LAMP: Final = {"code": "lamp"}

TAKEN: Final[list[tuple[dict[str, Any], dict[str, Any]]]] = [
    ({}, {"level": 5}),
    ({"level": 9}, {"level": 9}),
    ({"seen": "2026-01-01"}, {"level": 5, "seen": "2026-01-01T23:59:59.999Z"}),
    ({"nothing": None, "note": None}, {"level": 5}),
    ({"measured": {"a": 1.5}}, {"level": 5, "measured": {"a": 1.5}}),
    ({"parts": [{"name": "a"}, {"name": "b"}]}, {"level": 5, "parts": [{"name": "a"}, {"name": "b"}]}),
]


@pytest.mark.parametrize(("said", "taken"), TAKEN)
def test_what_is_left_out_is_absent_or_as_its_default_says(said: dict[str, Any], taken: dict[str, Any]) -> None:
    assert validated(Thing, LAMP | said) == LAMP | taken


REFUSED: Final[list[tuple[dict[str, Any], str, str]]] = [
    ({"code": "LAMP"}, "code", "String should match pattern '^[a-z]+$'"),
    ({"code": "lam-s"}, "code", "String should match pattern '^[a-z]+$'"),
    ({"code": "lampsx"}, "code", "String should have at most 5 characters"),
    ({"level": 0}, "level", "Input should be greater than or equal to 1"),
    ({"level": None}, "level", "Input should be a valid integer"),
    ({"seen": "yesterday"}, "seen", "must be"),
    ({"note": "äää"}, "note", "must be at most 4 bytes"),
    ({"note": "aaaaa"}, "note", "must be at most 4 printable characters"),
    ({"measured": {}}, "measured", "Dictionary should have at least 1 item"),
    ({"measured": {"A": 1.0}}, "measured.A", "must be small"),
    ({"measured": {"a": 11.0}}, "measured.a", "Input should be less than or equal to 10"),
    ({"measured": {"a": float("nan")}}, "measured.a", "Input should be a finite number"),
    ({"measured": {"a": float("inf")}}, "measured.a", "Input should be a finite number"),
    ({"parts": [{"name": "a"}] * 2}, "parts", "must be different"),
    ({"parts": [{"name": "a"}] * 3}, "parts", "List should have at most 2 items"),
    ({"parts": [{"name": ""}]}, "parts.0.name", "must"),
    ({"nothing": 1}, "nothing", "Input should be None"),
]


@pytest.mark.parametrize(("said", "field", "detail"), REFUSED)
def test_what_a_mark_refuses_is_named_with_the_reason(said: dict[str, Any], field: str, detail: str) -> None:
    with pytest.raises(ValidationError) as refused:
        validated(Thing, LAMP | said)

    [error] = fields_of(refused.value.errors())
    assert error.field.startswith(field)
    assert detail in error.detail


def test_the_document_says_what_the_marks_say() -> None:
    members = TypeAdapter(body_of(Thing)).json_schema()["properties"]

    assert members["code"] == {
        "type": "string",
        "pattern": "^[a-z]+$",
        "maxLength": 5,
        "examples": ["lamp"],
        "x-personal-data": "no",
        "title": "Code",
    }
    assert (members["level"]["default"], members["level"]["minimum"], members["level"]["maximum"]) == (5, 1, 9)
    [note, measured, parts] = [members[name]["anyOf"][0] for name in ("note", "measured", "parts")]
    assert (note["maxLength"], note["x-personal-data"]) == (4, "possible")
    assert (measured["additionalProperties"], measured["minProperties"], measured["maxProperties"]) == (False, 1, 2)
    assert (parts["uniqueItems"], parts["minItems"], parts["maxItems"]) == (True, 1, 2)


def put_things(things: Annotated[list[Thing], Bounds(1, 2)]) -> None:
    raise NotImplementedError


def test_a_list_of_declared_bodies_comes_as_plain_dictionaries_within_its_bounds() -> None:
    validator = Validator(put_things)

    assert validator.arguments_in(http_event("PUT /things", body=[LAMP])) == {"things": [LAMP | {"level": 5}]}
    for wrong in ([], [LAMP] * 3, [{"code": 1}]):
        with pytest.raises(Invalid):
            validator.arguments_in(http_event("PUT /things", body=wrong))


class Kept(TypedDict):
    """A thing that is kept."""

    id: str
    place: str
    maker: NotRequired[str]
    part: Annotated[Part, Named("PartOfThing", is_said=False)]


@given(st.sets(st.sampled_from(["id", "place", "part"])))
def test_a_response_needs_all_but_what_may_be_left_out_for_somebody(lacks: set[str]) -> None:
    more = {"isLost": NotRequired[Literal[True]], "count": int}
    shown = model_of(Shown(Kept, "KeptThing", more=more, lacks=frozenset(lacks))).model_json_schema()

    assert {*shown["properties"]} == {*Kept.__annotations__, *more}
    assert {*shown["required"]} == {"id", "place", "part", "count"} - lacks
    assert shown["properties"]["place"]["type"] == "string"
    assert (shown["title"], shown["description"]) == ("KeptThing", "A thing that is kept.")


@pytest.mark.parametrize(("is_all", "members"), [(False, {"items", "cursor"}), (True, {"items"})])
def test_a_page_has_a_cursor_unless_it_is_all(is_all: bool, members: set[str]) -> None:  # noqa: FBT001
    page = model_of(PageOf(Kept, "Things", "Things.", is_all=is_all)).model_json_schema()

    assert {*page["properties"]} == members
    assert page["required"] == ["items"]
    assert page["properties"]["items"]["items"]["$ref"].endswith("/KeptResponse")
