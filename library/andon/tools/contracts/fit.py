"""Values against the schemas that `schema.py` makes: what a publisher says that its type does not. Pure."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from andon.runtime.json_types import JsonObject
from andon.tools.contracts.members import ITEM, Path, alternatives_of
from andon.tools.contracts.values import kind_of

KIND_OF: Final = {
    "string": "a text",
    "integer": "a number",
    "number": "a number",
    "boolean": "a truth value",
    "null": "null",
    "array": "a list",
    "object": "an object",
}

NOT_SAID: Final = "is nothing that its type says"
MISSING: Final = "is missing, and its type says that it is there"


class Misfit(NamedTuple):
    """A member that does not fit its schema, and the reason."""

    path: Path
    why: str


def misfits(value: Any, schema: JsonObject, at: Path = ()) -> list[Misfit]:  # noqa: ANN401  any JSON
    """Return the misfits; an object has no members but those that its schema says.

    Of several schemas that a value may fit it is held against the one that it fits best.
    """
    return min(([*_misfits(value, one, at)] for one in alternatives_of(schema)), key=len)


def _misfits(value: Any, schema: JsonObject, at: Path) -> Iterator[Misfit]:  # noqa: ANN401
    if "enum" in schema:
        if not any(one == value and type(one) is type(value) for one in schema["enum"]):
            yield Misfit(at, f"is {value!r}, which is none of {', '.join(map(repr, schema['enum']))}")
        return
    wanted = schema.get("type")
    if wanted is None:
        return
    if kind_of(value) != KIND_OF[wanted] or (wanted == "integer" and value % 1):
        yield Misfit(at, f"is {kind_of(value)} where its type says {wanted}")
    elif isinstance(value, list):
        yield from (found for one in value for found in misfits(one, schema["items"], (*at, ITEM)))
    elif isinstance(value, dict):
        yield from _of_object(value, schema, at)


def _of_object(value: JsonObject, schema: JsonObject, at: Path) -> Iterator[Misfit]:
    said = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield Misfit((*at, name), MISSING)
    for name, member in value.items():
        if name in said:
            yield from misfits(member, said[name], (*at, name))
        elif "additionalProperties" in schema:
            yield from misfits(member, schema["additionalProperties"], (*at, name))
        else:
            yield Misfit((*at, name), NOT_SAID)
