"""The OpenAPI document, from the handlers themselves."""

import inspect
import json
import re
from collections.abc import Callable
from typing import Any

from andon.packages.discovery import apis, role_of
from andon.packages.package import Package
from andon.project import project

DOCUMENT = project().root / "docs" / "openapi.json"

# Powertools documents its own answer to invalid requests (422); we answer 400 with a problem.
NOT_OURS = ("HTTPValidationError", "ValidationError", "ResponseValidationError")

DESCRIPTION = """\
Which machine needs help: states of factory equipment, and who sees to them.

## How devices report

A fleet whose clocks agree would report in the same second, and most of it would get 429. So each device:

1. **Spreads its reports.** It reports at an offset within its period that it draws once, at random, and keeps: with a
   period of five minutes, any of 300,000 ms. It also begins there after a restart. It reports a change of its state at
   once; if all can change together, as by a power failure, after a random part of 30 s.
2. **Keeps what was not taken.** A report has its own `timestamp`, so that one that comes late still says when it
   happened, for 33 days. The same report again changes nothing.
3. **Tries again later each time.** After 429, 500, 502, 503, 504 or no response it waits a random part of
   `min(300, 2^n)` seconds before attempt n + 1, and no less than `Retry-After` says. After 401 it gets a new token
   first. After any other response it does not try again: the same request would be refused again.
4. **Sends what has piled up together**: `POST /states` takes up to 100 reports, and has a throttle of its own. After
   a 503 that names reports (`errors`) it sends only those again. While that route takes none, it sends them singly.

Each route has a throttle of its own, for all callers together; its 429 comes from the gateway, without `Retry-After`
and without a problem as its body. Of `PUT /equipment/{id}/states/{timestamp}` each caller has a share, too, by default
five reports a second and 50 at once: beyond it come 429, `Retry-After` and a problem. Gateways report many machines
together, by `POST /states`.
"""

# The gateway's own: what was throttled reaches none of our functions.
TOO_MANY = {"description": "Too many requests to this route: try again later, see the description of this API."}
TOO_MANY_OF_ONE = "Too many requests to this route, of this caller or, without `Retry-After`, of all: try again later."

ETAG = {"description": "The version, quoted.", "schema": {"type": "string"}}


def document() -> dict[str, Any]:
    """Return the document: the routes of all packages but pages, merged."""
    paths: dict[str, dict[str, Any]] = {}
    schemas: dict[str, Any] = {}
    for package in apis():
        for handler in _handlers(package):
            generated = json.loads(handler.app.get_openapi_json_schema(title="Andon", version="1"))
            schemas |= generated["components"]["schemas"]
            for path, operations in generated["paths"].items():
                for method, operation in operations.items():
                    name = operation["operationId"].removesuffix(re.sub(r"\W", "_", f"{path}_{method}"))
                    route = handler.app.declared[f"{method.upper()} {path}"]
                    ours = {
                        "operationId": name,
                        "tags": [package.replaces or package.name],
                        **_described(route.answered_by, route.groups),
                        "responses": _responses(operation["responses"]),
                    }
                    paths.setdefault(path, {})[method] = operation | ours
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Andon",
            "version": "1",
            "description": DESCRIPTION,
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
    """Return the document as it is kept in docs/."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


def _handlers(package: Package) -> list[Any]:
    roles = {role_of(route) for route in package.routes}
    return [package.load(role) for role in sorted(roles)]


def _described(function: Callable[..., Any], groups: frozenset[str]) -> dict[str, str]:
    summary, _, more = (inspect.getdoc(function) or "").partition("\n\n")
    called_by = f"Groups: {', '.join(sorted(groups))}."
    return {"summary": summary, "description": " ".join([called_by, *more.split()])}


def _responses(responses: dict[str, Any]) -> dict[str, Any]:
    responses = {"429": TOO_MANY} | {status: answer for status, answer in responses.items() if status != "422"}
    if "content" in responses["429"]:  # each caller has a share
        responses["429"]["description"] = TOO_MANY_OF_ONE
    if "412" in responses or "304" in responses:
        for status in responses.keys() & {"200", "201", "304"}:
            responses[status]["headers"] = {"ETag": ETAG, **responses[status].get("headers", {})}
    for status in responses.keys() & {"204", "304"}:
        responses[status].pop("content", None)  # Powertools documents a body, which HTTP does not allow
    return dict(sorted(responses.items()))


if __name__ == "__main__":
    DOCUMENT.write_text(text())
