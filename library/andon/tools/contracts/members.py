"""Members of entities by their paths, as `telling.about[].callId`: in a schema, and in an event. Pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from andon.runtime.json_types import JsonObject

Path = tuple[str, ...]
Whole = TypeVar("Whole")

ITEM: Final = "[]"
"""The part of a path for each item of a list."""


class Member(NamedTuple):
    """A member as a schema says it; is_optional: its object may lack it."""

    schema: JsonObject
    is_optional: bool


def text_of(path: Path) -> str:
    """Return a path as it is written: `telling.about[].callId`."""
    return ".".join(path).replace(f".{ITEM}", ITEM)


def path_in(text: str) -> Path:
    """Return the path that is written so."""
    return tuple(text.replace(ITEM, f".{ITEM}").split("."))


def members_of(schema: JsonObject) -> dict[Path, Member]:
    """Return all members that a schema says, each behind the one that it is in; those of a map have no paths."""
    return dict(_members_of([schema], ()))


def _members_of(schemas: Sequence[JsonObject], at: Path) -> Iterator[tuple[Path, Member]]:
    alternatives = [*_alternatives(schemas)]
    objects = [one for one in alternatives if "properties" in one]
    for name in dict.fromkeys(name for one in objects for name in one["properties"]):
        found = [one["properties"][name] for one in objects if name in one["properties"]]
        yield (*at, name), Member(_any_of(found), _is_optional(name, objects))
        yield from _members_of(found, (*at, name))
    if items := [one["items"] for one in alternatives if "items" in one]:
        yield (*at, ITEM), Member(_any_of(items), is_optional=False)
        yield from _members_of(items, (*at, ITEM))


def _is_optional(name: str, objects: Sequence[JsonObject]) -> bool:
    """Return True if an object that has a member fits one of these schemas without it, too."""
    having = [one for one in objects if name in one["properties"]]
    return any(
        name not in other["required"] and {*other["required"]} <= one["properties"].keys()
        for one in having
        for other in objects
    )


def alternatives_of(schema: JsonObject) -> list[JsonObject]:
    """Return the schemas of which a value has to fit one."""
    return [*_alternatives([schema])]


def _alternatives(schemas: Iterable[JsonObject]) -> Iterator[JsonObject]:
    for schema in schemas:
        if "anyOf" in schema:
            yield from _alternatives(schema["anyOf"])
        else:
            yield schema


def _any_of(schemas: Sequence[JsonObject]) -> JsonObject:
    first, *others = schemas
    return first if all(one == first for one in others) else {"anyOf": [*schemas]}


def values_at(value: Any, path: Path) -> list[Any]:  # noqa: ANN401  any JSON
    """Return the values that are there at a path: of a list those of all items."""
    if not path:
        return [value]
    head, *rest = path
    if head == ITEM:
        return [found for one in value for found in values_at(one, (*rest,))] if isinstance(value, list) else []
    return values_at(value[head], (*rest,)) if isinstance(value, dict) and head in value else []


def paths_in(value: Any, at: Path = (), *, leaves: frozenset[Path] = frozenset()) -> Iterator[Path]:  # noqa: ANN401
    """Yield the path of each member that is there, once; leaves: those that are looked at as a whole."""
    if at in leaves:
        return
    if isinstance(value, dict):
        for name, member in value.items():
            yield (*at, name)
            yield from paths_in(member, (*at, name), leaves=leaves)
    if isinstance(value, list) and value:
        yield from dict.fromkeys(
            path for one in value for path in ((*at, ITEM), *paths_in(one, (*at, ITEM), leaves=leaves))
        )


def without(value: Any, path: Path) -> Any:  # noqa: ANN401
    """Return a value without the member of a path, in each item of a list."""
    *before, name = path
    return changed(value, (*before,), lambda whole: _without(whole, name))


def with_member(value: Whole, path: Path, member: object) -> Whole:
    """Return a value with a member more where an object is at its path."""
    *before, name = path
    more: Whole = changed(
        value, (*before,), lambda whole: {**whole, name: member} if isinstance(whole, dict) else whole
    )
    return more


def changed(value: Any, path: Path, change: Callable[[Any], Any]) -> Any:  # noqa: ANN401
    """Return a value with what is at a path changed, in each item of a list; nothing else is copied."""
    if not path:
        return change(value)
    head, *rest = path
    if head == ITEM:
        return [changed(one, (*rest,), change) for one in value] if isinstance(value, list) else value
    if not isinstance(value, dict) or head not in value:
        return value
    return {**value, head: changed(value[head], (*rest,), change)}


def _without(whole: Any, name: str) -> Any:  # noqa: ANN401
    return {other: value for other, value in whole.items() if other != name} if isinstance(whole, dict) else whole
