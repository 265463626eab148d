"""JSON Schemas of what the routes of a handler file take and answer, as pydantic makes them, in one order."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from andon.http.schemas import Schema

REFERENCE: Final = "#/components/schemas/{model}"

# What nests comes first, then types, bounds, and what is only said.
ORDER: Final[Mapping[str, int]] = {
    keyword: place
    for place, keyword in enumerate(
        (
            *("$ref", "allOf", "anyOf", "oneOf", "not", "prefixItems", "items"),
            *("properties", "patternProperties", "additionalProperties", "propertyNames"),
            *("type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"),
            *("maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems"),
            *("maxProperties", "minProperties", "required", "format", "title", "description", "default", "examples"),
        )
    )
}
BY_NAME: Final = frozenset({"properties", "patternProperties"})
"""Keywords whose members are schemas by names, which keep their order."""

NESTED: Final = frozenset({"allOf", "anyOf", "oneOf", "not", "prefixItems", "items", "additionalProperties"})

Mode = Literal["validation", "serialization"]


class ModelOfRoute(NamedTuple):
    """A type that a document tells of, under a key of its own; title: of a schema without a name, such as a list."""

    key: Hashable
    kind: Any
    mode: Mode
    title: str = ""


class JsonSchemas(NamedTuple):
    """Schemas by the keys of what is told, and those of the models in them by their names."""

    of: Mapping[Hashable, Schema]
    models: Mapping[str, Schema]


def json_schemas_of(told: Sequence[ModelOfRoute]) -> JsonSchemas:
    """Return the schemas of several types: models that they have in common have one name."""
    adapters = {one.key: TypeAdapter(one.kind) for one in told}
    for adapter in adapters.values():
        adapter.rebuild()  # models are built at first use
    inputs = [(one.key, one.mode, adapters[one.key].core_schema) for one in told]
    found, models = GenerateJsonSchema(ref_template=REFERENCE).generate_definitions(inputs)
    of = {one.key: _ordered(_titled(found[one.key, one.mode], one.title)) for one in told}
    return JsonSchemas(of, {name: _ordered(model) for name, model in models.items()})


def _titled(schema: Schema, title: str) -> Schema:
    return schema if "$ref" in schema else {**schema, "title": title}


def _ordered(schema: Any) -> Any:  # noqa: ANN401  True and False are schemas, too
    """Return a schema with its keywords in one order, whoever wrote it, and without a default that says nothing."""
    if not isinstance(schema, dict):
        return schema
    keywords = sorted(schema, key=lambda keyword: ORDER.get(keyword, len(ORDER)))
    return {keyword: _member(keyword, schema[keyword]) for keyword in keywords if schema[keyword] is not None}


BOUNDS: Final = frozenset({"multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"})


def _member(keyword: str, value: Any) -> Any:  # noqa: ANN401  any JSON
    if keyword in BY_NAME:
        return {name: _ordered(member) for name, member in value.items()}
    if keyword in NESTED:
        return [*map(_ordered, value)] if isinstance(value, list) else _ordered(value)
    if keyword in BOUNDS:
        return float(value)
    return value
