"""Schemas of what routes take and answer: keywords in one order, names in theirs, one model for all that have it."""

from typing import Annotated, Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, WithJsonSchema

from andon.tools.in_process.openapi import ORDER, ModelOfRoute, json_schemas_of

KEYWORDS = sorted(ORDER, key=lambda keyword: ORDER[keyword])
SCHEMA: dict[str, Any] = {
    "items": {"type": "string", "pattern": "^x$", "title": "One", "x-own": "yes"},
    "properties": {
        "title": {"type": "string"},
        "not": {"type": "integer", "minimum": 1.0},
        "anyOf": {"enum": ["b", "a"]},
    },
    "type": "array",
    "maxItems": 3,
    "minItems": 1,
    "examples": [{"title": None, "items": 1}],
    "x-own": "no",
}


def written(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type that has this one."""
    told = ModelOfRoute("key", Annotated[list[str], WithJsonSchema(schema)], "validation", "Some")
    return dict(json_schemas_of([told]).of["key"])


@given(st.permutations(list(SCHEMA)))
def test_keywords_stand_in_one_order_and_names_in_theirs(order: list[str]) -> None:
    found = written({keyword: SCHEMA[keyword] for keyword in order})

    assert found == SCHEMA | {"title": "Some"}
    assert [*found] == [*(keyword for keyword in KEYWORDS if keyword in found), "x-own"]
    assert [*found["properties"]] == ["title", "not", "anyOf"]
    assert [*found["items"]] == ["type", "pattern", "title", "x-own"]


class Part(BaseModel):
    """A part."""

    name: str | None = None


class Whole(BaseModel):
    """A whole."""

    parts: list[Part]
    spare: Part


def test_a_model_has_one_name_however_many_have_it_and_no_default_that_says_nothing() -> None:
    told = [
        ModelOfRoute("whole", Whole, "validation", "Body"),
        ModelOfRoute("part", list[Part], "serialization", "Parts"),
    ]

    found = json_schemas_of(told)

    assert found.of["whole"] == {"$ref": "#/components/schemas/Whole"}
    assert found.of["part"]["items"] == {"$ref": "#/components/schemas/Part"}
    assert sorted(found.models) == ["Part", "Whole"]
    assert "default" not in str(found.models)
