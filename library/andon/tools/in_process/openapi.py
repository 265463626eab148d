"""The OpenAPI document, from the handlers themselves."""

import inspect
import json
import re
from typing import Any

from andon.http.http_api import Route
from andon.packages.discovery import apis, role_of
from andon.packages.package import Package
from andon.project import project
from andon.runtime.json_types import JsonObject

DOCUMENT = project().root / "docs" / "openapi.json"

# Powertools documents its own answer to invalid requests (422); we answer 400 with a problem.
NOT_OURS = ("HTTPValidationError", "ValidationError", "ResponseValidationError")

# The gateway's own: what was throttled reaches none of our functions.
TOO_MANY = {"description": "Too many requests to this route: try again later, see the description of this API."}
TOO_MANY_OF_ONE = "Too many requests to this route, of this caller or, without `Retry-After`, of all: try again later."

WITHOUT_MODEL = "'title': 'Return'"

ETAG = {"description": "The version, quoted.", "schema": {"type": "string"}}


def document() -> JsonObject:
    """Return the document: the routes of all packages but pages, merged."""
    paths: dict[str, JsonObject] = {}
    schemas: JsonObject = {}
    for package in apis():
        for handler in _handlers(package):
            generated = json.loads(handler.app.get_openapi_json_schema(title=project().name, version="1"))
            schemas |= generated["components"]["schemas"]
            for path, operations in generated["paths"].items():
                for method, operation in operations.items():
                    name = operation["operationId"].removesuffix(re.sub(r"\W", "_", f"{path}_{method}"))
                    route = handler.app.declared[f"{method.upper()} {path}"]
                    ours = {
                        "operationId": name,
                        "tags": [package.replaces or package.name],
                        **_described(route),
                        "responses": _responses(operation["responses"]),
                    }
                    paths.setdefault(path, {})[method] = operation | ours
    return {
        "openapi": "3.1.0",
        "info": {
            "title": project().name,
            "version": "1",
            "description": project().description,
            **({"license": {"name": project().license, "identifier": project().license}} if project().license else {}),
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": {name: schema for name, schema in sorted(schemas.items()) if name not in NOT_OURS},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
        },
    }


def text() -> str:
    """Return the document as it is kept in docs/."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


def _handlers(package: Package) -> list[Any]:
    roles = {role_of(route) for route in package.routes}
    return [package.load(role) for role in sorted(roles)]


def _described(route: Route) -> JsonObject:
    summary, _, more = (inspect.getdoc(route.answered_by) or "").partition("\n\n")
    everywhere = "" if route.at else "; of callers who are limited to no place"
    called_by = "For everybody." if route.is_public else f"Groups: {', '.join(sorted(route.groups))}{everywhere}."
    without: JsonObject = {"security": []} if route.is_public else {}
    return {"summary": summary, "description": " ".join([called_by, *more.split()]), **without}


def _responses(responses: JsonObject) -> JsonObject:
    responses = {"429": TOO_MANY} | {status: answer for status, answer in responses.items() if status != "422"}
    if "content" in responses["429"]:  # each caller has a share
        responses["429"]["description"] = TOO_MANY_OF_ONE
    if "412" in responses or "304" in responses:
        for status in responses.keys() & {"200", "201", "304"}:
            responses[status]["headers"] = {"ETag": ETAG, **responses[status].get("headers", {})}
    for answer in responses.values():
        if WITHOUT_MODEL in str(answer.get("content")):
            del answer["content"]  # Powertools documents a text where there is no body
    return dict(sorted(responses.items()))


def write() -> None:
    """Write the document to docs/."""
    DOCUMENT.parent.mkdir(exist_ok=True)
    DOCUMENT.write_text(text())


if __name__ == "__main__":
    write()
