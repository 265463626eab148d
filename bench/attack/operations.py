"""What the API says of itself: the operations of `docs/openapi.json`, and who may call each, of every handler."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from andon.packages.discovery import apis
from andon.tools.stack.emulator import ROOT

DOCUMENT: Final = ROOT / "docs" / "openapi.json"
JSON: Final = "application/json"

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation; `where` is `path`, `query` or `header`."""

    name: str
    where: str
    schema: Schema


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """One operation; `responses` has the media type and schema of each documented status, None without a body."""

    method: str
    path: str
    parameters: tuple[Parameter, ...]
    body: Schema | None
    responses: Mapping[int, tuple[str, Schema] | None]
    groups: frozenset[str]

    @property
    def name(self) -> str:
        """Its route, as in `GET /equipment/{id}`."""
        return f"{self.method} {self.path}"

    def of(self, where: str) -> list[Parameter]:
        """Return the parameters of the path, the query or the header."""
        return [parameter for parameter in self.parameters if parameter.where == where]


def read() -> list[Operation]:
    """Read all operations, in the order of the document."""
    document = json.loads(DOCUMENT.read_text())
    routes = {route: groups for package in apis() for route, groups in package.routes.items()}
    return [
        _operation(document, path, method.upper(), operation, routes[f"{method.upper()} {path}"])
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    ]


def members(schema: Schema, place: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Schema]]:
    """List the members of a body, however deep, each with its place; of an array the first element."""
    for name, member in schema.get("properties", {}).items():
        yield (*place, name), member
        yield from members(member, (*place, name))
    if "items" in schema:
        yield (*place, 0), schema["items"]
        yield from members(schema["items"], (*place, 0))


def _operation(
    document: Mapping[str, Any], path: str, method: str, operation: Mapping[str, Any], groups: frozenset[str]
) -> Operation:
    parameters = (_resolved(document, parameter) for parameter in operation.get("parameters", ()))
    content = operation.get("requestBody", {}).get("content", {}).get(JSON)
    return Operation(
        method,
        path,
        tuple(Parameter(one["name"], one["in"], one["schema"]) for one in parameters),
        content and _resolved(document, content["schema"]),
        {int(status): _response(document, response) for status, response in operation["responses"].items()},
        groups,
    )


def _response(document: Mapping[str, Any], response: Mapping[str, Any]) -> tuple[str, Schema] | None:
    for media_type, content in response.get("content", {}).items():
        return media_type, _resolved(document, content["schema"])
    return None


def _resolved(document: Mapping[str, Any], schema: Any) -> Any:  # noqa: ANN401  any JSON
    """Put what a `$ref` points to in its place."""
    if isinstance(schema, list):
        return [_resolved(document, one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        found: Any = document
        for name in schema["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        return _resolved(document, found)
    return {name: _resolved(document, one) for name, one in schema.items()}
