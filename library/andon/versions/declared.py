"""Versioned things that are declared: their common part, for each design of versions.

content: the TypedDict of what a revision says. Its row, its entity and its response follow from that: a member that may
be left out is removed by a change that leaves it out, and one that older rows lack reads as its mark says, `Gained`.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Literal, TypedDict, TypeVar, Unpack, cast

from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.client import Table
from andon.dynamodb.schema import KeyQuery
from andon.events.actor import author_in
from andon.events.fact import Change, Fact, Facts, Meaning
from andon.runtime.errors import Conflict, NotFound
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.marks import NotRequired, gained_of, optional_of
from andon.versions.optimistic_lock import Command, Guard, Saved, VersionedRow, changed, require_admitted
from andon.versions.versioned_write import KeptRevisions, Versions

if TYPE_CHECKING:
    from andon.versions.claims import Claim, ClaimsOf

Row = TypeVar("Row", bound=VersionedRow)
Entity = TypeVar("Entity")

How = Literal["never", "seldom", "often"]

Id = str | tuple[str, ...]
"""An id, or the parts of one that is composed."""

Unique = Mapping[str, Callable[[str], Mapping[str, str | int]]]
"""Member -> the key of the row, in the table of its thing, that claims a value: no two living things have the same."""

NOT_UNIQUE: Final[Unique] = MappingProxyType({})


class Declaration(TypedDict):
    """Declaration of a kind of thing.

    service: which owns it, and publishes its facts. kind: the discriminator of its rows, and the name of its entity.
    content, entity: the TypedDicts of what a revision says, and of what is published. missing: for whoever asks for
    what is not there. id: the names of what tells one from another, as a row has them; the first is the partition key
    of its facts. counted_as: the name of its version in an entity; empty: neither that nor a response says it, nor when
    it was made. revised, read: how often it is, and its versions are; see `Aggregate`.
    """

    service: str
    kind: str
    content: type
    entity: type
    missing: str
    id: NotRequired[tuple[str, ...]]
    counted_as: NotRequired[str]
    revised: NotRequired[How]
    read: NotRequired[How]


def parts_of(id_: Id) -> tuple[str, ...]:
    """Return the parts of an id."""
    return (id_,) if isinstance(id_, str) else id_


class Declared(Generic[Row, Entity]):
    """A kind of versioned thing, see `Declaration`."""

    design: ClassVar[str]
    """The name of the design of its versions in `andon.versions.aggregate`, which no function loads."""

    table: Table
    fact: str
    """The type of the fact of each version, unless that follows from the change."""
    unique: Unique = NOT_UNIQUE
    kept: frozenset[str] = frozenset()
    """The members that a tombstone keeps."""

    def __init__(self, **declared: Unpack[Declaration]) -> None:
        self.service, self.kind, self.missing = declared["service"], declared["kind"], declared["missing"]
        self.content, self.entity = declared["content"], declared["entity"]
        self.id, self.counted_as = declared.get("id", ("id",)), declared.get("counted_as", "version")
        self.revised, self.read = declared.get("revised", "seldom"), declared.get("read", "often")
        self.names = tuple(sorted(self.content.__annotations__, key=lambda name: name not in self.id))  # the id first
        self.gained = gained_of(self.content)
        self.may_lack = optional_of(self.content) | self.gained.keys()
        self._must_say = tuple(name for name in self.names if name not in self.may_lack)
        self._says_id = not set(self.id).isdisjoint(self.names)
        self._instead = {name: said.instead for name, said in self.gained.items() if said.instead is not None}
        self._formerly = {said.formerly: name for name, said in self.gained.items() if said.formerly is not None}

    def versions_of(self, id_: Id, guard: Guard | None = None) -> Versions[Row]:
        """Return the place of its versions; guard: of a write's required rows."""
        raise NotImplementedError

    def revisions_of(self, id_: Id) -> KeyQuery:
        """Return the query of all revisions, newest first."""
        raise NotImplementedError

    def get_version(self, id_: Id, version: int) -> Row:
        """Read a revision.

        Raises:
            NotFound: there is none.

        """
        raise NotImplementedError

    def kept_revision(self, row: Item) -> tuple[Table, Item]:
        """Return the table and the row of the revision that a current row is."""
        raise NotImplementedError

    def get(self, id_: Id, *, guard: Guard | None = None) -> Row:
        """Read it as it is now.

        Raises:
            NotFound: there is none, or it was deleted.

        """
        row = self.versions_of(id_).current()
        require_admitted(guard, row)
        if row is None or row.get("deleted"):
            raise NotFound(self.missing)
        return row

    def save(self, id_: Id, said: Mapping[str, object], command: Command, guard: Guard | None = None) -> Saved[Row]:
        """Save the content of a request."""
        raise NotImplementedError

    def mark_of(self, id_: Id, discriminator: str | None = None) -> dict[str, object]:
        """Return the attributes of each row besides its revision; discriminator: of other rows than the current one."""
        mark: dict[str, object] = {"discriminator": discriminator or self.kind}
        mark.update(zip(self.id, parts_of(id_), strict=True))
        return mark

    def id_in(self, row: JsonMapping) -> tuple[str, ...]:
        """Return the id that a row says."""
        return tuple(row[name] for name in self.id)

    def has(self, row: JsonMapping) -> bool:
        """Return True if a row is one of this kind, or of its revisions."""
        return row.get("discriminator") in {self.kind, f"{self.kind}-revision"}

    def with_id(self, id_: Id, said: Mapping[str, object]) -> Mapping[str, object]:
        """Return a request's content, with the id if the content has parts of it: its digest is made of them."""
        if not self._says_id:
            return said
        return {**dict(zip(self.id, parts_of(id_), strict=True)), **said}

    def content_of(self, said: Mapping[str, object]) -> dict[str, object]:
        """Return the content of a request or of an entity; None: of an absent member, which a change removes."""
        if self._formerly:
            said = {**self._renamed(said), **said}
        instead = self._instead
        content = {
            name: said.get(name, instead.get(name)) if name in self.may_lack else said[name] for name in self.names
        }
        return {**content, **dict.fromkeys(self._formerly)} if self._formerly else content

    def _renamed(self, said: Mapping[str, object]) -> dict[str, object]:
        """Return the values of former names, under today's names."""
        return {name: said[old] for old, name in self._formerly.items() if old in said}

    @property
    def claims(self) -> "ClaimsOf | None":
        """The claims of its unique members; None: it has none, and a change reads nothing first."""
        return self._claims_of if self.unique else None

    def said_in(self, row: JsonMapping) -> dict[str, object]:
        """Return the content of a row, also of one of before a member was declared.

        Raises:
            KeyError: the row lacks a member that it must not lack.

        """
        found = {name: row[name] for name in self.names if name in row}
        if len(found) == len(self.names):
            return found
        for name in self._must_say:
            row[name]
        return {**self._instead, **self._renamed(row), **found}

    def published_of(self, row: Row) -> JsonObject:
        """Return the members of the entity of a version."""
        fields: JsonMapping = row
        of = {name: fields[name] for name in self.id}
        if self.counted_as:
            of[self.counted_as] = row["version"]
        return {**of, **self.said_in(fields)}

    def entity_of(self, row: Row) -> Entity:
        """Return the entity of a version, for its event."""
        return cast("Entity", self.published_of(row))

    def to_response(self, row: Row) -> JsonObject:
        """Return a version for a response: its entity, when it was made (fixed-width UTC), and by whom."""
        return {**self.published_of(row), **(changed(row) if self.counted_as else {})}

    def _claims_of(self, version: Attributes) -> "dict[str, Claim]":
        from andon.versions.claims import Claim  # noqa: PLC0415  most have no unique member

        owner = "#".join(self.id_in(version))
        return {
            name: Claim(
                self.table, key_of(str(version[name])), owner, Conflict(f"Another {self.kind} has this {name}.")
            )
            for name, key_of in self.unique.items()
            if version.get(name) is not None
        }

    @property
    def types(self) -> frozenset[str]:
        """The types of its facts."""
        return frozenset({self.fact})

    def entity_in(self, type_: str) -> type:  # noqa: ARG002  of each type the same
        """Return the declaration of the entity of a type of its facts."""
        return self.entity

    def type_of(self, change: Change) -> str:  # noqa: ARG002  of each change the same
        """Return the type of the fact of a change."""
        return self.fact

    def fact_of(self, change: Change) -> Fact | None:
        """Return the fact of a revision."""
        row = change.new
        if row is None:
            return None
        entity = self.published_of(self.row_of(row))
        return Fact(self.type_of(change), row["timestamp"], row[self.id[0]], self.kind, entity, actor=author_in(row))

    def row_of(self, item: Item) -> Row:
        """Return an item of its tables with the type of its row."""
        return cast("Row", item)


_Any_ = Declared[Any, Any]


def facts_of(
    source: str,
    *declared: _Any_,
    of: Mapping[str, Meaning] | None = None,
    entities: Mapping[str, type] | None = None,
) -> Facts:
    """Return the facts of declared things, beside others. of, entities: of the others, as `Facts` takes them."""
    others = entities or {}
    types = frozenset(others).union(*(one.types for one in declared))
    said = {one.kind: one.fact_of for one in declared}
    by_type = {type_: one.entity_in(type_) for one in declared for type_ in sorted(one.types)}
    return Facts(source=source, types=types, of={**said, **(of or {})}, entities={**by_type, **others})


def kept(*declared: _Any_) -> KeptRevisions:
    """Return the revisions of declared things, for the loss of a region."""
    return {one.kind: one.kept_revision for one in declared if one.design not in {"CURRENT_ONLY", "TIME_BASED"}}
