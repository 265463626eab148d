"""Entities read as they are declared: the members of a TypedDict, and no others."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, NotRequired, TypeVar, get_args, get_origin

from andon.events.domain_event import Entity
from andon.runtime.marks import gained_of, optional_of

Read = Callable[[Entity, str], object]
Kind = TypeVar("Kind")


def readers_of(kind: type) -> dict[str, Read]:
    """Return member -> its reader: None where one that may be left out is, or is empty; else Poison is raised."""
    gained = gained_of(kind)
    may_lack = optional_of(kind) | gained.keys()
    found = {name: _reader(_plain(said), name in may_lack) for name, said in kind.__annotations__.items()}
    formerly = {name: mark.formerly for name, mark in gained.items() if mark.formerly is not None}
    return {**found, **{name: _reader_of_either(found[name], old) for name, old in formerly.items()}}


def read_as(kind: type[Kind]) -> Callable[[Entity], Kind]:
    """Return the reader of a declared object: members that an entity lacks are left out, or Poison is raised."""
    readers = readers_of(kind)

    def read(entity: Entity) -> Any:  # noqa: ANN401  a Kind
        said = {name: reader(entity, name) for name, reader in readers.items()}
        return {name: value for name, value in said.items() if value is not None}

    return read


def _reader(kind: Any, may_lack: bool) -> Read:  # noqa: ANN401, FBT001
    if not may_lack:
        return {str: Entity.text, int: Entity.whole_number, float: Entity.number}.get(kind, Entity.get)
    return _optional_text if kind is str else Entity.get


def _reader_of_either(read: Read, formerly: str) -> Read:
    return lambda entity, member: read(entity, member if member in entity.fields else formerly)


def _optional_text(entity: Entity, member: str) -> str | None:
    return entity.optional_text(member) or None  # no key of an index is empty


def _plain(said: Any) -> Any:  # noqa: ANN401
    """Return the type of a member without its marks; one of a few texts is text."""
    if get_origin(said) in {Annotated, NotRequired}:
        return _plain(get_args(said)[0])
    return str if get_origin(said) is Literal else said
