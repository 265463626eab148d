"""Members of a declared entity that a view keeps as they are, and the tombstone that follows. Pure.

KEPT = keep(Thing, Name="name", Maker="maker", also=("Sorted",))
KEPT.of(event.entity("thing"), more)  # attributes of the row; of a thing that was deleted, its tombstone
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, NamedTuple, NotRequired, get_args, get_origin

from andon.events.domain_event import Entity
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.marks import gained_of, optional_of

DELETED: Final = "Deleted"

Read = Callable[[Entity, str], object]


class KeptMembers(NamedTuple):
    """Attributes of a row: by the members of an entity, and those that a view makes itself."""

    members: Mapping[str, tuple[str, Read]]
    also: tuple[str, ...]
    kind: type

    def of(self, entity: Entity, more: Callable[[Entity], Mapping[str, object]] | None = None) -> dict[str, object]:
        """Return the attributes that an entity says, None for those that it lacks; of one that was deleted, no others.

        more: makes the attributes `also`.

        Raises:
            Poison: a member that must be there is not.

        """
        if entity.get("deleted") is True:
            return {DELETED: True, **dict.fromkeys((*self.members, *self.also))}
        said = {attribute: read(entity, member) for attribute, (member, read) in self.members.items()}
        return {DELETED: None, **said, **(more(entity) if more else {})}

    @property
    def optional(self) -> JsonObject:
        """The members that may be left out, as they are declared, for a response that shows them."""
        kept = {member for member, _ in self.members.values()} & optional_of(self.kind)
        return {name: said for name, said in self.kind.__annotations__.items() if name in kept}

    def said_in(self, row: JsonMapping) -> dict[str, object]:
        """Return the members that a row has, by their names."""
        return {member: row[name] for name, (member, _) in self.members.items() if row.get(name) is not None}


def keep(kind: type, *, also: tuple[str, ...] = (), **members: str) -> KeptMembers:
    """Return the attributes of a row that are members of a declaration: attribute -> member.

    Raises:
        KeyError: it has no such member.

    """
    may_lack = optional_of(kind) | gained_of(kind).keys()
    read = {name: (of, _reader(kind.__annotations__[of], of in may_lack)) for name, of in members.items()}
    return KeptMembers(read, also, kind)


def _reader(said: Any, may_lack: bool) -> Read:  # noqa: ANN401, FBT001
    if may_lack:
        return lambda entity, member: (
            entity.optional_text(member) or None if _plain(said) is str else entity.get(member)
        )
    return {str: Entity.text, int: Entity.whole_number, float: Entity.number}.get(_plain(said), Entity.get)


def _plain(said: Any) -> Any:  # noqa: ANN401
    return _plain(get_args(said)[0]) if get_origin(said) in {Annotated, NotRequired} else said
