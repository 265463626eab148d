"""Two schemas of a type -> the changes that a reader of the older one may meet. Pure."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from andon.runtime.json_types import JsonObject
from andon.tools.contracts.members import ITEM, Member, Path, alternatives_of
from andon.tools.contracts.need import ANOTHER_TEXT, FRACTION, kind_of, literal, literals_of

# Values against the schemas that `schema.py` makes: what a publisher says that its type does not. Pure.

_KIND_OF: Final = {
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
    if kind_of(value) != _KIND_OF[wanted] or (wanted == "integer" and value % 1):
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


class Change(StrEnum):
    """A kind of change.

    `GONE`: it is said no more. `OPTIONAL`: it may be missing. `KIND`: it may be of another kind. `VALUE`: it may be
    another of the listed values, or any. `NEW`: it was not said before.
    """

    GONE = "is said no more"
    OPTIONAL = "may be missing"
    KIND = "may be"
    VALUE = "may say"
    NEW = "is new"


class SchemaChange(NamedTuple):
    """A change of a member; value: the name of what it may be, see `values.py`."""

    path: Path
    change: Change
    value: str = ""

    @property
    def words(self) -> str:
        """The change in words."""
        return f"{self.change} {self.value}".rstrip()


def changes(before: Mapping[Path, Member], after: Mapping[Path, Member]) -> list[SchemaChange]:
    """Return the differences; of a member that is gone, or new, what is in it is not said again."""
    return [*_gone(before, after), *(one for path in before if path in after for one in _of(path, before, after))]


def is_break(change: SchemaChange) -> bool:
    """Return True if a reader that knows the older schema alone may not expect it."""
    return change.change is not Change.NEW


def _gone(before: Mapping[Path, Member], after: Mapping[Path, Member]) -> Iterator[SchemaChange]:
    for one, other, change in ((before, after, Change.GONE), (after, before, Change.NEW)):
        lacks = [path for path in one if path not in other]
        yield from (SchemaChange(path, change) for path in lacks if path[:-1] not in lacks)


def _of(path: Path, before: Mapping[Path, Member], after: Mapping[Path, Member]) -> Iterator[SchemaChange]:
    old, new = before[path], after[path]
    if new.is_optional and not old.is_optional:
        yield SchemaChange(path, Change.OPTIONAL)
    kinds = _kinds_of(old.schema)
    yield from (SchemaChange(path, Change.KIND, kind) for kind in sorted(_kinds_of(new.schema) - kinds))
    if _is_listed(old.schema) and "a text" in kinds:
        yield from _values(path, old.schema, new.schema)


def _values(path: Path, old: JsonObject, new: JsonObject) -> Iterator[SchemaChange]:
    if not _is_listed(new):
        yield SchemaChange(path, Change.VALUE, ANOTHER_TEXT)
    else:
        known = literals_of(old)
        yield from (SchemaChange(path, Change.VALUE, literal(one)) for one in literals_of(new) if one not in known)


def _is_listed(schema: JsonObject) -> bool:
    """Return True if all texts that a schema lets through are listed."""
    return not any(one.get("type") == "string" or one == {} for one in alternatives_of(schema))


def _kinds_of(schema: JsonObject) -> frozenset[str]:
    return frozenset(kind for one in alternatives_of(schema) for kind in _kinds_of_one(one))


def _kinds_of_one(schema: JsonObject) -> Iterator[str]:
    if "enum" in schema:
        yield from map(kind_of, schema["enum"])
    elif "type" not in schema:
        yield from (*_KIND_OF.values(), FRACTION)
    else:
        yield _KIND_OF[schema["type"]]
        if schema["type"] == "number":
            yield FRACTION
