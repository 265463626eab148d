"""Requests made of the examples in an OpenAPI document, one for each operation, and the numbers at the edges."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Schema = Mapping[str, Any]

EDGES: Final = (-1, 0, 1, 999_999_998, 999_999_999, 10**9, 2**31, 10**14, 10**15 - 1, 10**15, 2**63, 10**38 - 1, 10**38)
SPELLINGS: Final = (
    "application/json",
    "application/JSON",
    "APPLICATION/JSON",
    "Application/Json; charset=UTF-8",
    "application/json ;x=y",
)
IF_MATCH: Final = "If-Match"


@dataclass(frozen=True, slots=True)
class Example:
    """A good request to an operation; `parameters` by place (`path`, `query`, `header`) and name."""

    path: str
    method: str
    parameters: Mapping[str, Mapping[str, Any]]
    body: Any

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    def parts(self, **other: Any) -> dict[str, Any]:  # noqa: ANN401  JSON is any
        """Return the arguments of schemathesis's Case."""
        parts = {
            "path_parameters": dict(self.parameters["path"]),
            "query": dict(self.parameters["query"]),
            "headers": dict(self.parameters["header"]),
        }
        return parts | ({} if self.body is None else {"body": self.body, "media_type": "application/json"}) | other

    def at_the_edges(self) -> Iterator[dict[str, Any]]:
        """Yield the arguments with each of the request's numbers at each edge."""
        path, query, header = (self.parameters[place] for place in ("path", "query", "header"))
        for number in EDGES:
            if IF_MATCH in header:
                yield self.parts(headers={IF_MATCH: f'"{number}"'})
            if "limit" in query:
                yield self.parts(query={"limit": number})
            if "n" in path:
                yield self.parts(path_parameters={**path, "n": number})
            if isinstance(self.body, dict):
                numbers = [name for name, value in self.body.items() if isinstance(value, int)]
                yield from (self.parts(body={**self.body, name: number}) for name in numbers)


def examples(document: Mapping[str, Any]) -> Iterator[Example]:
    """Yield a request for each operation, with all of its parameters but cursors."""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            given: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "header": {}}
            for parameter in operation.get("parameters", ()):
                if parameter["name"] != "cursor":
                    given[parameter["in"]][parameter["name"]] = _example(document, parameter["schema"])
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            body = None if content is None else _example(document, content["schema"])
            yield Example(path, method.upper(), given, body)


def texts_in(document: Mapping[str, Any], schema: Schema, *path: str) -> Iterator[tuple[str, Schema]]:
    """Yield the name, `location.company`, and the schema of each text that a schema has, also of those in lists."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if schema.get("type") == "string":
        yield ".".join(path), schema
    for part in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())):
        yield from texts_in(document, part, *path)
    for name, part in schema.get("properties", {}).items():
        yield from texts_in(document, part, *path, name)


def _example(document: Mapping[str, Any], schema: Schema) -> Any:  # noqa: ANN401, PLR0911  JSON is any; one return for each kind
    if "$ref" in schema:
        return _example(document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if "examples" in schema:
        return schema["examples"][0]
    if "default" in schema:
        return schema["default"]
    if "properties" in schema:
        return {name: _example(document, schema["properties"][name]) for name in schema.get("required", ())}
    if schema.get("type") == "array":
        return [_example(document, schema["items"])]
    if "anyOf" in schema:
        return _example(document, schema["anyOf"][0])
    return "2020-04-24T14:50:00Z" if schema.get("format") == "date-time" else "0" * 64
