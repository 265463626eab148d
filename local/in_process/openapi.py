"""The OpenAPI document, from the handlers themselves."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from local.in_process.packages import Package, packages

DOCUMENT = Path(__file__).parents[2] / "docs" / "openapi.json"

# Powertools lists its own answer to invalid requests everywhere; ours is a problem with status 400.
NOT_OURS = ("HTTPValidationError", "ValidationError", "ResponseValidationError")

ETAG = {"description": "The version, quoted.", "schema": {"type": "string"}}


def document() -> dict[str, Any]:
    """Merge what the handlers of all packages say of their routes."""
    paths: dict[str, dict[str, Any]] = {}
    schemas: dict[str, Any] = {}
    for package in packages():
        for handler in _handlers(package):
            said = json.loads(handler.app.get_openapi_json_schema(title="Andon", version="1"))
            schemas |= said["components"]["schemas"]
            for path, operations in said["paths"].items():
                for method, operation in operations.items():
                    name = operation["operationId"].removesuffix(re.sub(r"\W", "_", f"{path}_{method}"))
                    groups = package.routes[f"{method.upper()} {path}"]
                    told = {"operationId": name, "tags": [package.name]} | _told(getattr(handler, name), groups)
                    paths.setdefault(path, {})[method] = operation | told | {"responses": _ours(operation["responses"])}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Andon",
            "version": "1",
            "description": "Which machine needs help: states of factory equipment, and who sees to them.",
            "license": {"name": "MIT", "identifier": "MIT"},
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
    """Give the document as it is kept."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


def _handlers(package: Package) -> list[Any]:
    roles = {"query" if route.startswith("GET ") else "command" for route in package.routes}
    return [package.load(role) for role in sorted(roles)]


def _told(function: Callable[..., Any], groups: frozenset[str]) -> dict[str, str]:
    summary = (function.__doc__ or "").partition("\n")[0]
    return {"summary": summary, "description": f"Groups: {', '.join(sorted(groups))}."}


def _ours(responses: dict[str, Any]) -> dict[str, Any]:
    responses = {status: answer for status, answer in responses.items() if status != "422"}
    if "412" in responses or "304" in responses:
        for status in responses.keys() & {"200", "201", "304"}:
            responses[status]["headers"] = {"ETag": ETAG}
    for status in responses.keys() & {"204", "304"}:
        responses[status].pop("content", None)  # Powertools gives them one; HTTP does not
    return dict(sorted(responses.items()))


if __name__ == "__main__":
    DOCUMENT.write_text(text())
