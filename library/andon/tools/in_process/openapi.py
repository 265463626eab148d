"""The OpenAPI document, from the handlers themselves."""

import inspect
import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

from pydantic import Field

from andon.http.arguments import BODY, REQUIRED, Argument, arguments_of
from andon.http.derived import model_of
from andon.http.http_api import Route
from andon.http.response import JSON
from andon.packages.discovery import apis, role_of
from andon.packages.package import Package
from andon.project import project
from andon.runtime.json_types import JsonObject
from andon.tools.in_process.json_schemas import JsonSchemas, ModelOfRoute, json_schemas_of

DOCUMENT = project().root / "docs" / "openapi.json"

# The gateway's own: what was throttled reaches none of our functions.
TOO_MANY = {"description": "Too many requests to this route: try again later, see the description of this API."}
TOO_MANY_OF_ONE = "Too many requests to this route, of this caller or, without `Retry-After`, of all: try again later."

ETAG = {"description": "The version, quoted.", "schema": {"type": "string"}}

MODEL: Final = "model"
"""The member of a response's content that has the model, see `andon.http.openapi.responses`."""


def document() -> JsonObject:
    """Return the document: the routes of all packages but pages, merged."""
    paths: dict[str, JsonObject] = {}
    models: JsonObject = {}
    for package in apis():
        for handler in _handlers(package):
            schemas = json_schemas_of([*_told(handler.app.declared)])
            models |= _unlike(models, schemas.models)
            for key, route in handler.app.declared.items():
                method, _, path = key.partition(" ")
                operation = _operation(key, route, schemas) | {"tags": [package.replaces or package.name]}
                paths.setdefault(path, {})[method.lower()] = operation | _described(route)
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


def _unlike(before: JsonObject, models: Mapping[str, JsonObject]) -> Mapping[str, JsonObject]:
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


def _handlers(package: Package) -> list[Any]:
    roles = {role_of(route) for route in package.routes}
    return [package.load(role) for role in sorted(roles)]


def _told(declared: Mapping[str, Route]) -> Iterator[ModelOfRoute]:
    """Yield what the routes of a handler file take and answer."""
    for key, route in declared.items():
        for one in arguments_of(route.answered_by):
            title = (one.name if one.part == BODY else one.alias).replace("_", " ").title()
            said = Field(... if one.default is REQUIRED else one.default, description=one.description)
            yield ModelOfRoute((key, one.name), Annotated[one.taken, said], "validation", title)
        for status, response in route.responses.items():
            for content in response.get("content", {}).values():
                yield ModelOfRoute((key, status), model_of(content[MODEL]), "serialization")


def _operation(key: str, route: Route, schemas: JsonSchemas) -> JsonObject:
    """Return what a route takes and answers."""
    operation: JsonObject = {"summary": "", "operationId": route.answered_by.__name__}
    arguments = arguments_of(route.answered_by)
    parameters = [_parameter(one, schemas.of[key, one.name]) for one in arguments if one.part != BODY]
    if parameters:
        operation["parameters"] = parameters
    for body in (one for one in arguments if one.part == BODY):
        content = {JSON: {"schema": schemas.of[key, body.name]}}
        operation["requestBody"] = {"content": content, "required": body.default is REQUIRED}
    responses = {str(status): _response(one, schemas.of.get((key, status))) for status, one in route.responses.items()}
    return operation | {"responses": _responses(responses)}


def _parameter(one: Argument, schema: JsonObject) -> JsonObject:
    said = {} if one.description is None else {"description": one.description}
    return {**said, "required": one.default is REQUIRED, "schema": schema, "name": one.alias, "in": one.part}


def _response(response: JsonObject, schema: JsonObject | None) -> JsonObject:
    """Return a response with the schema in place of its model."""
    contents = {} if schema is None else {content_type: {"schema": schema} for content_type in response["content"]}
    members = {**response, "content": contents}
    return {name: members[name] for name in ("description", "headers", "content") if members.get(name)}


def _described(route: Route) -> JsonObject:
    summary, _, more = (inspect.getdoc(route.answered_by) or "").partition("\n\n")
    everywhere = "" if route.at else "; of callers who are limited to no place"
    called_by = "For everybody." if route.is_public else f"Groups: {', '.join(sorted(route.groups))}{everywhere}."
    without: JsonObject = {"security": []} if route.is_public else {}
    return {"summary": summary, "description": " ".join([called_by, *more.split()]), **without}


def _responses(responses: JsonObject) -> JsonObject:
    responses = {"429": TOO_MANY, **responses}
    if "content" in responses["429"]:  # each caller has a share
        responses["429"]["description"] = TOO_MANY_OF_ONE
    if "412" in responses or "304" in responses:
        for status in responses.keys() & {"200", "201", "304"}:
            responses[status]["headers"] = {"ETag": ETAG, **responses[status].get("headers", {})}
    return dict(sorted(responses.items()))


def write() -> None:
    """Write the document to docs/."""
    DOCUMENT.parent.mkdir(exist_ok=True)
    DOCUMENT.write_text(text())


if __name__ == "__main__":
    write()
