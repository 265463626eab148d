"""TypedDicts -> JSON Schema. Pure."""

from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from andon.runtime.json_types import JsonObject

SCALARS: Final[Mapping[object, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "null",
}


class NoSchema(Exception):
    """A type of which JSON Schema can say nothing."""


def schema_of(kind: Any) -> JsonObject:  # noqa: ANN401  a type, of any kind
    """Return the schema of a type: of a TypedDict an object with its name as `title`, wherever it is used.

    An object may have more members than its schema says, as readers have to expect.

    Raises:
        NoSchema: JSON has no such values, or the type contains itself.

    """
    try:
        return _schema_of(kind)
    except RecursionError as error:
        raise NoSchema(f"{kind.__name__} contains itself") from error


def _schema_of(kind: Any) -> JsonObject:  # noqa: ANN401
    if kind in SCALARS:
        return {"type": SCALARS[kind]}
    if kind in {Any, object}:
        return {}
    return _object(kind) if is_typeddict(kind) else _of_parts(kind, get_origin(kind), get_args(kind))


def _of_parts(kind: object, origin: object, parts: tuple[Any, ...]) -> JsonObject:
    if origin is Literal:
        return {"enum": [*parts]}
    if origin in {NotRequired, Required, Annotated}:
        return _schema_of(parts[0])
    if origin in {Union, UnionType}:
        return {"anyOf": [*map(_schema_of, parts)]}
    if origin in {list, Sequence}:
        return {"type": "array", "items": _schema_of(parts[0])}
    if origin in {dict, Mapping} and parts[0] is str:
        return {"type": "object", "additionalProperties": _schema_of(parts[1])}
    raise NoSchema(f"{kind} is no type of JSON")


def _object(kind: Any) -> JsonObject:  # noqa: ANN401
    hints = get_type_hints(kind, include_extras=True)
    return {
        "title": kind.__name__,
        **({"description": " ".join(kind.__doc__.split())} if kind.__doc__ else {}),
        "type": "object",
        "properties": {name: _member(kind, name, hint) for name, hint in hints.items()},
        "required": [name for name in hints if name in kind.__required_keys__],
    }


def _member(kind: Any, name: str, hint: object) -> JsonObject:  # noqa: ANN401
    try:
        return _schema_of(hint)
    except NoSchema as error:
        raise NoSchema(f"{kind.__name__}.{name}: {error}") from error
