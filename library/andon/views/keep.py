"""Members of an entity that a view keeps unchanged: attributes, their tombstone, and the response. Pure.

KEPT = keep(ThingEntity, Name="name", Maker="maker", also=("Sorted",), deleted_as="Deleted")
KEPT.of(thing, lambda: {"Sorted": ...})  # attributes of the row; of a thing that was deleted, its tombstone
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypeVar, get_args, get_origin

from andon.events.domain_event import Entity
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.marks import gained_of, optional_of

# Entities read as they are declared: the members of a TypedDict, and no others.

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


class KeptMembers:
    """Attributes of a row: by the members of an entity, and `also` those that a view makes itself.

    members: attribute -> the member, and how it is read. deleted_as: the attribute that marks a tombstone, if any.
    """

    __slots__ = ("also", "deleted_as", "kind", "members")

    def __init__(
        self, kind: type, members: Mapping[str, tuple[str, Read]], also: tuple[str, ...], deleted_as: str | None
    ) -> None:
        self.kind, self.members, self.also, self.deleted_as = kind, members, also, deleted_as

    def of(self, entity: Entity, more: Callable[[], Mapping[str, object]] = dict) -> dict[str, object]:
        """Return the attributes that an entity says, None for those that it lacks; of one that was deleted, no others.

        more: makes the attributes `also`.

        Raises:
            Poison: a member that must be there is not.

        """
        is_gone = entity.get("deleted") is True
        mark: dict[str, object] = {self.deleted_as: is_gone or None} if self.deleted_as else {}
        if is_gone:
            return mark | dict.fromkeys((*self.members, *self.also))
        said = {attribute: read(entity, member) for attribute, (member, read) in self.members.items()}
        return {**mark, **said, **more()}

    @property
    def declared(self) -> JsonObject:
        """The members as they are declared, for a response that shows them."""
        kept = {member for member, _ in self.members.values()}
        return {name: said for name, said in self.kind.__annotations__.items() if name in kept}

    @property
    def optional(self) -> JsonObject:
        """Those that may be left out."""
        return {name: said for name, said in self.declared.items() if name in optional_of(self.kind)}

    def said_in(self, row: JsonMapping) -> JsonObject:
        """Return the members that a row has, by their names."""
        return {member: row[name] for name, (member, _) in self.members.items() if row.get(name) is not None}


def keep(kind: type, *, also: tuple[str, ...] = (), deleted_as: str | None = None, **members: str) -> KeptMembers:
    """Return the attributes of a row that are members of an entity: attribute -> member.

    Raises:
        KeyError: it has no such member.

    """
    readers = readers_of(kind)
    return KeptMembers(kind, {name: (of, readers[of]) for name, of in members.items()}, also, deleted_as)
