"""The OpenAPI document, from the handlers themselves."""

import inspect
import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import Field, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from andon.http.arguments import BODY, REQUIRED, Argument, arguments_of
from andon.http.derived import model_of
from andon.http.http_api import HttpApi, Route
from andon.http.models import Schema
from andon.http.response import JSON, responses
from andon.packages.discovery import apis, role_of
from andon.packages.package import Package
from andon.project import project
from andon.runtime.json_types import JsonObject

# JSON Schemas of what the routes of a handler file take and answer, as pydantic makes them, in one order.

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
    adapters = {id(one.kind): TypeAdapter(one.kind) for one in told}  # a model of errors is that of each route
    for adapter in adapters.values():
        adapter.rebuild()  # models are built at first use
    inputs = [
        (kind, mode, adapters[kind].core_schema)
        for kind, mode in dict.fromkeys((id(one.kind), one.mode) for one in told)
    ]
    found, models = GenerateJsonSchema(ref_template=REFERENCE).generate_definitions(inputs)
    of = {one.key: _ordered(_titled(found[id(one.kind), one.mode], one.title)) for one in told}
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


DOCUMENT = project().root / "docs" / "openapi.json"

# The gateway's own: what was throttled reaches none of our functions.
TOO_MANY = {"description": "Too many requests to this route: try again later, see the description of this API."}
_TOO_MANY_OF_ONE = "Too many requests to this route, of this caller or, without `Retry-After`, of all: try again later."

_ETAG = {"description": "The version, quoted.", "schema": {"type": "string"}}

_INVALID_THERE: Final = "422"
"""The status of an invalid request in a document of Powertools; here it is 400."""

_OF_POWERTOOLS: Final = frozenset({"HTTPValidationError", "ResponseValidationError", "ValidationError"})
"""Models of its refusals, none of which is sent."""

MODEL: Final = "model"
"""The member of a response's content that has the model, see `andon.http.response.responses`."""


class Operations(NamedTuple):
    """Operations by the keys of their routes, and the models in them by their names."""

    of: Mapping[str, JsonObject]
    models: Mapping[str, JsonObject]


def document() -> JsonObject:
    """Return the document: the routes of all packages but pages, merged."""
    paths: dict[str, JsonObject] = {}
    models: JsonObject = {}
    for package in apis():
        for api in _apis(package):
            told = operations_of(api)
            models |= _unlike(models, told.models)
            for key, operation in told.of.items():
                method, _, path = key.partition(" ")
                tagged = {**operation, "tags": [package.replaces or package.name]}
                paths.setdefault(path, {})[method.lower()] = tagged | _described(api.declared[key])
    return {
        "openapi": "3.1.0",
        "info": {
            "title": project().name,
            "version": "1",
            "description": said() if callable(said := project().description) else said,
            **({"license": {"name": project().license, "identifier": project().license}} if project().license else {}),
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": dict(sorted(models.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
        },
    }


def operations_of(api: HttpApi) -> Operations:
    """Return what the routes of a handler file take and answer; nothing says yet who may call them."""
    resolved = _resolved(api)
    schemas = json_schemas_of([*_told(api.declared, resolved.of)])
    operations = {key: _operation(key, route, schemas, resolved.of.get(key)) for key, route in api.declared.items()}
    return Operations(operations, {**schemas.models, **_unlike(schemas.models, resolved.models)})


def _unlike(before: Mapping[str, JsonObject], models: Mapping[str, JsonObject]) -> Mapping[str, JsonObject]:
    """Return the models of a handler file.

    Raises:
        ValueError: another one has another schema of the same name, so that one of both would be wrong.

    """
    if twice := sorted(name for name, schema in models.items() if before.get(name, schema) != schema):
        raise ValueError(f"these are the names of two schemas each: {', '.join(twice)}")
    return models


def text() -> str:
    """Return the document as it is kept in docs/."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


def _apis(package: Package) -> list[HttpApi]:
    roles = {role_of(route) for route in package.routes}
    return [package.api(role) for role in sorted(roles)]


def _resolved(api: HttpApi) -> Operations:
    """Return what Powertools' resolver says of its routes, where a handler file has one."""
    resolver = getattr(api, "resolver", None)
    if resolver is None:
        return Operations({}, {})
    said = resolver.get_openapi_schema().model_dump(mode="json", by_alias=True, exclude_none=True)
    paths: Mapping[str, JsonObject] = said["paths"]
    operations = {f"{method.upper()} {path}": one for path, found in paths.items() for method, one in found.items()}
    models = said.get("components", {}).get("schemas", {})
    return Operations(operations, {name: model for name, model in models.items() if name not in _OF_POWERTOOLS})


def _told(declared: Mapping[str, Route], resolved: Mapping[str, JsonObject]) -> Iterator[ModelOfRoute]:
    """Yield what the routes of a handler file take and answer, as far as nothing else says it."""
    for key, route in declared.items():
        for one in () if key in resolved else arguments_of(route.answered_by):
            title = (one.name if one.part == BODY else one.alias).replace("_", " ").title()
            said = Field(... if one.default is REQUIRED else one.default, description=one.description)
            yield ModelOfRoute((key, one.name), Annotated[one.taken, said], "validation", title)
        for status, response in _responses_of(route, resolved.get(key)).items():
            for content in response.get("content", {}).values():
                yield ModelOfRoute((key, status), model_of(content[MODEL]), "serialization")


def _responses_of(route: Route, resolved: JsonObject | None) -> Mapping[int, Any]:
    """Return the responses of a route; if it says none, the resolver lacks those that every route has."""
    return route.responses or ({} if resolved is None else responses(None))


def _operation(key: str, route: Route, schemas: JsonSchemas, resolved: JsonObject | None) -> JsonObject:
    """Return what a route takes and answers; resolved: as the resolver says it, if it is one of its routes."""
    operation: JsonObject = {"summary": "", "operationId": route.answered_by.__name__}
    operation |= _taken(key, route, schemas) if resolved is None else _members(resolved, "parameters", "requestBody")
    told = _responses_of(route, resolved)
    answers = {str(status): _response(one, schemas.of.get((key, status))) for status, one in told.items()}
    if resolved is not None and not route.responses:
        answers |= {status: one for status, one in resolved["responses"].items() if status != _INVALID_THERE}
    return operation | {"responses": _responses(answers)}


def _taken(key: str, route: Route, schemas: JsonSchemas) -> JsonObject:
    taken: JsonObject = {}
    arguments = arguments_of(route.answered_by)
    parameters = [_parameter(one, schemas.of[key, one.name]) for one in arguments if one.part != BODY]
    if parameters:
        taken["parameters"] = parameters
    for body in (one for one in arguments if one.part == BODY):
        content = {JSON: {"schema": schemas.of[key, body.name]}}
        taken["requestBody"] = {"content": content, "required": body.default is REQUIRED}
    return taken


def _parameter(one: Argument, schema: JsonObject) -> JsonObject:
    said = {} if one.description is None else {"description": one.description}
    return {**said, "required": one.default is REQUIRED, "schema": schema, "name": one.alias, "in": one.part}


def _response(response: JsonObject, schema: JsonObject | None) -> JsonObject:
    """Return a response with the schema in place of its model."""
    contents = {} if schema is None else {content_type: {"schema": schema} for content_type in response["content"]}
    return _members({**response, "content": contents}, "description", "headers", "content")


def _members(whole: JsonObject, *names: str) -> JsonObject:
    return {name: whole[name] for name in names if whole.get(name)}


def _described(route: Route) -> JsonObject:
    summary, _, more = (inspect.getdoc(route.answered_by) or "").partition("\n\n")
    everywhere = "" if route.at else "; of callers who are limited to no place"
    called_by = "For everybody." if route.is_public else f"Groups: {', '.join(sorted(route.groups))}{everywhere}."
    without: JsonObject = {"security": []} if route.is_public else {}
    return {"summary": summary, "description": " ".join([called_by, *more.split()]), **without}


def _responses(responses: JsonObject) -> JsonObject:
    responses = {"429": TOO_MANY, **responses}
    if "content" in responses["429"]:  # each caller has a share
        responses["429"]["description"] = _TOO_MANY_OF_ONE
    if "412" in responses or "304" in responses:
        for status in responses.keys() & {"200", "201", "304"}:
            responses[status]["headers"] = {"ETag": _ETAG, **responses[status].get("headers", {})}
    return dict(sorted(responses.items()))


def write() -> None:
    """Write the document to docs/."""
    DOCUMENT.parent.mkdir(exist_ok=True)
    DOCUMENT.write_text(text())


if __name__ == "__main__":
    write()
