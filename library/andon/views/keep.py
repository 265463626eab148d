"""Members of an entity that a view keeps unchanged: attributes, their tombstone, and the response. Pure.

KEPT = keep(ThingEntity, Name="name", Maker="maker", also=("Sorted",), deleted_as="Deleted")
KEPT.of(thing, lambda: {"Sorted": ...})  # attributes of the row; of a thing that was deleted, its tombstone
"""

from collections.abc import Callable, Mapping

from andon.events.domain_event import Entity
from andon.events.read_as import Read, readers_of
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.marks import optional_of


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
