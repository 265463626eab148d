"""Good requests, made of nothing but the schemas and their examples."""

import copy
import json
import time
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from andon.runtime import times
from bench.attack.hostile import is_name
from bench.attack.operations import JSON, Operation, Schema
from bench.attack.wire import Request

OURS: Final = "attack-"
"""Begins the name of whatever the attack makes, so that nothing else is touched."""


def value(schema: Schema) -> Any:  # noqa: ANN401  any JSON
    """Return a value that fits a schema: its example, or the smallest; a time is now."""
    if schema.get("format") == "date-time":
        return now()
    if "examples" in schema:
        return OURS + schema["examples"][0] if is_name(schema) else copy.deepcopy(schema["examples"][0])
    if "anyOf" in schema:
        return value(schema["anyOf"][0])
    match schema.get("type"):
        case "object":
            made: Any = {name: value(schema["properties"][name]) for name in schema.get("required", ())}
        case "array":
            made = [value(schema["items"])]
        case "integer":
            made = int(schema.get("minimum", 1))
        case _:
            made = "x"
    return made


@cache
def now() -> str:
    """Return a moment of this run as the API writes it, always the same."""
    return times.to_utc(int(time.time() * 1000))


def body(operation: Operation) -> Any:  # noqa: ANN401
    """Return a good body of an operation, None where there is none."""
    return None if operation.body is None else value(operation.body)


def request(operation: Operation, path: Mapping[str, Any] | None = None, *, content: Any = None) -> Request:  # noqa: ANN401
    """Build a good request; `path` has the path parameters that are not to be examples, `content` another body."""
    given = {parameter.name: str(value(parameter.schema)) for parameter in operation.of("path")} | dict(path or {})
    content = body(operation) if content is None else content
    headers = () if content is None else (("content-type", JSON),)
    sent = None if content is None else json.dumps(content).encode()
    return Request(operation.method, operation.path, path=given, headers=headers, body=sent)


def put(content: Any, place: tuple[str | int, ...], one: Any) -> Any:  # noqa: ANN401
    """Return a copy of a body with another value at `place`."""
    if not place:
        return one
    changed = copy.deepcopy(content)
    holder = changed
    for name in place[:-1]:
        holder = holder[name]
    holder[place[-1]] = one
    return changed
