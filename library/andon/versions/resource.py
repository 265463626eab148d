"""A resource: a thing with an id, its current row in one table and every revision in another, by number and by time.

A service declares what is its own: the tables, the content, the entity.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar, Unpack

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Check, Table
from andon.dynamodb.expressions import Condition, both
from andon.dynamodb.schema import Index, KeyQuery, Keys, TableSchema
from andon.events.fact import Change, Fact, lifecycle, lifecycle_types
from andon.runtime import times
from andon.runtime.errors import Conflict, Invalid, NotFound
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.marks import NotRequired, ResourceEntity, without
from andon.versions.bitemporal import Asked, Timeline, revision_at
from andon.versions.declared import NOT_UNIQUE, Declaration, Declared, Id, Unique, parts_of
from andon.versions.optimistic_lock import (
    OWNED_SINCE,
    Command,
    Draft,
    Guard,
    Owner,
    Saved,
    VersionedRow,
    is_of,
    require_admitted,
)
from andon.versions.versioned_write import Requirement, Revisions, Versions, change, revision_in, save

HISTORY: Final = Keys("pk", "version", sort_type="N", one_partition_per="entity")
_BY_TIME: Final = Keys("pk", "timestamp", sort_type="N", one_partition_per="entity")
# Sparse: only a revision that was recorded late has the attribute.
CORRECTIONS: Final = Keys("pk", "validFrom", sort_type="N", one_partition_per="entity")
HISTORY_SCHEMA: Final = TableSchema(
    HISTORY, indexes={"ByTime": Index(_BY_TIME), "Corrections": Index(CORRECTIONS)}, expires=False, seldom_read=True
)

TOMBSTONE_DAYS: Final = 33
"""Days until the TTL service takes a tombstone; the history keeps it for ever."""

NO_VERSION: Final = "There is no such version."

VALID_FROM: Final = "validFrom"

ALIVE: Final = Condition(
    "attribute_exists(#version) AND attribute_not_exists(#deleted) AND discriminator = :kind",
    {"version": "version", "deleted": "deleted"},
)


class ResourceRow(VersionedRow):
    """The current row, or a revision, its key and content aside.

    validFrom: since when it is so (epoch milliseconds), if not since it was recorded. ttl: epoch seconds, on a
    tombstone. ownedSince: see `optimistic_lock.OWNED_SINCE`.
    """

    discriminator: str
    id: str
    validFrom: NotRequired[int]  # noqa: N815  the row's name
    ownedSince: NotRequired[int]  # noqa: N815  the same
    ttl: NotRequired[int]


Row = TypeVar("Row", bound=ResourceRow)
Entity = TypeVar("Entity", bound=ResourceEntity)


class Resource(Declared[Row, Entity]):
    """A kind of thing with an id, a current row in one table, and every revision in another.

    sort: the sort key of the current row, if its table has one. unique: see `Unique`. owner: of things that change
    hands; facts say since when it is the present one. kept: the members that a tombstone keeps: those that tell the
    owner and the places of what was deleted, and what whoever subscribes to its end needs. For the rest see
    `Declaration`.

    Raises:
        ValueError: what is kept is no member.

    """

    design = "TWO_TABLES"

    def __init__(
        self,
        *,
        table: Table,
        history: Table,
        partition_of: Callable[[str], str],
        sort: tuple[str, ...] = (),
        unique: Unique = NOT_UNIQUE,
        owner: Owner | None = None,
        kept: tuple[str, ...] = (),
        **declared: Unpack[Declaration],
    ) -> None:
        super().__init__(**declared)
        self.kept = frozenset(kept)
        self.dropped = frozenset(self.names) - self.kept - frozenset(self.id)
        if not self.kept.issubset(self.names):
            raise ValueError(f"{self.kind}: a tombstone keeps members alone, not {', '.join(sorted(self.kept))}")
        self.table, self.history, self.partition_of = table, history, partition_of
        self.sort, self.unique, self.owner = sort, unique, owner

    def key_of(self, id_: Id) -> dict[str, str | int]:
        """Return the primary key of the current row."""
        return self.table.keys.of(self._partition(id_), *self.sort)

    def revisions_of(self, id_: Id) -> KeyQuery:
        """Return the query of all revisions, newest first."""
        return KeyQuery(keys=self.history.keys, partition=self._partition(id_))

    def versions_of(self, id_: Id, guard: Guard | None = None) -> Versions[Row]:  # noqa: ARG002
        """Return the place of the versions."""
        partition = self._partition(id_)
        revisions = Revisions(
            table=self.history,
            key_of=lambda version: self.history.keys.of(partition, version),
            all=self.revisions_of(id_),
            attributes=self.mark_of(id_),
        )
        return Versions(table=self.table, key=self.key_of(id_), revisions=revisions, kind=self.kind)

    def kept_revision(self, row: Item) -> tuple[Table, Item]:
        """Return the table and the row of the revision that a current row is."""
        key = self.history.keys.of(self._partition(self.id_in(row)), row["version"])
        return self.history, {**revision_in(row, self.table.keys), **key}

    def alive(self, id_: Id, guard: Guard | None = None) -> Requirement:
        """Return the requirement that it is there, and admitted, for a write of another row."""
        alive = ALIVE._replace(values={"kind": self.kind})
        if guard is None:
            return Requirement(check=Check(self.table, self.key_of(id_), alive), otherwise=NotFound(self.missing))
        admitted = both(alive, guard.condition)
        return Requirement(check=Check(self.table, self.key_of(id_), admitted), otherwise=guard.otherwise)

    def get(self, id_: Id, at: Asked | None = None, *, guard: Guard | None = None) -> Row:
        """Read it as it is now, or as it was at a time, as known at another.

        guard: of what it is now, whatever it was; it takes one more read, but where it is read as it is now.

        Raises:
            NotFound: there is no such thing, or it was deleted.

        """
        if at is None:
            return super().get(id_, guard=guard)
        versions = self.versions_of(id_)
        require_admitted(guard, versions.current() if guard else None)
        row = revision_at(self._timeline_of(id_), at)
        if row is None or row.get("deleted") or not is_of(self.kind, row):
            raise NotFound(self.missing)
        return versions.row_of(row)

    def get_many(self, ids: Sequence[Id]) -> list[Row | None]:
        """Read up to 100 current rows, tombstones among them; None where there is none."""
        items = self.table.get_many([self.key_of(id_) for id_ in ids])
        return [self.row_of(item) if item is not None and is_of(self.kind, item) else None for item in items]

    def get_version(self, id_: Id, version: int) -> Row:
        """Read a revision, maybe a tombstone.

        Raises:
            NotFound: there is none.

        """
        return _require_version(self.versions_of(id_).revision(version))

    def save(self, id_: Id, said: Mapping[str, object], command: Command, guard: Guard | None = None) -> Saved[Row]:
        """Save the content of a request, valid since its `validFrom` (UTC); see `versioned_write.save`.

        guard: of what it was until then.

        Raises:
            Invalid: `validFrom` lies ahead.

        """
        content = self.content_of(said)
        valid_from = content[VALID_FROM]
        if isinstance(valid_from, int) and not 0 <= valid_from <= command.now_ms:
            raise Invalid.field(f"body.{VALID_FROM}", "must lie between 1970 and now")
        draft = Draft(content, self.mark_of(id_), command, guard=guard, claims=self.claims, owner=self.owner)
        return save(self.versions_of(id_), draft)

    def delete(self, id_: Id, command: Command, guard: Guard | None = None) -> Saved[Row]:
        """Replace it by a tombstone: a revision of the kept members, marked deleted; see `versioned_write.change`."""

        def tombstone(row: Row) -> Draft:
            made_ms = max(command.now_ms, row["timestamp"] + 1)  # as the tombstone will be stamped
            draft = self._again(row, self.tombstone_of(id_, made_ms), command)
            return draft._replace(deleted=True, kept=self.kept)

        return change(self.versions_of(id_), command, tombstone, guard)

    def roll_back(self, id_: Id, version: int, command: Command, guard: Guard | None = None) -> Saved[Row]:
        """Make an earlier revision current again, as a new one; see `versioned_write.change`.

        guard: of both.

        Raises:
            NotFound: there is no such revision.
            Conflict: it is a tombstone.

        """
        versions = self.versions_of(id_)
        revision = versions.revision(version, consistent=True)

        def again(_: Row) -> Draft:
            earlier = _require_version(revision)
            require_admitted(guard, earlier)
            if earlier.get("deleted"):
                raise Conflict("That version is a deletion.")
            return self._again(earlier, self.mark_of(id_), command)

        return change(versions, command, again, guard)

    def tombstone_of(self, id_: Id, made_ms: int) -> dict[str, object]:
        """Return the attributes of a tombstone besides its revision."""
        return {**self.mark_of(id_), "ttl": ttl.ttl_at(made_ms, TOMBSTONE_DAYS)}

    def content_of(self, said: Mapping[str, object]) -> dict[str, object]:
        """Return the content of a request or of an entity; its `validFrom` is UTC."""
        valid_from = said.get(VALID_FROM)
        return {**super().content_of(said), VALID_FROM: None if valid_from is None else times.to_ms(str(valid_from))}

    def said_in(self, row: JsonMapping) -> dict[str, object]:
        """Return the content of a row, and since when it is so, if not since it was recorded."""
        content = self._kept_in(row) if row.get("deleted") else super().said_in(row)
        if VALID_FROM in row:
            content[VALID_FROM] = times.to_utc(row[VALID_FROM])
        return content

    def _kept_in(self, row: JsonMapping) -> dict[str, object]:
        """Return the content of a tombstone; an older one may have more."""
        instead = {name: said for name, said in self._instead.items() if name in self.kept}
        return {**instead, **{name: row[name] for name in self.names if name in row}}

    def entity_in(self, type_: str) -> type:
        """Return the declaration of the entity of a type of its facts: its end has the kept members alone."""
        if not type_.endswith("-deleted"):
            return self.entity
        return without(self.entity, self.dropped, name=f"{self.entity.__name__}Deleted")

    def published_of(self, row: Row) -> JsonObject:
        """Return the members of the entity of a version."""
        published = super().published_of(row)
        if row.get("deleted"):
            published["deleted"] = True
        return published

    @property
    def types(self) -> frozenset[str]:
        """The types of its facts: `<kind>-created`, `-updated`, `-deleted`, `-undeleted`."""
        return lifecycle_types(self.kind)

    def type_of(self, change: Change) -> str:
        """Return the type of the fact of a change."""
        return lifecycle(change, self.kind)

    def fact_of(self, change: Change) -> Fact | None:
        """Return the fact of a revision, with since when its owner has it."""
        fact, row = super().fact_of(change), change.new
        if fact is None or row is None or OWNED_SINCE not in row:
            return fact
        return fact._replace(entity={**fact.entity, OWNED_SINCE: times.to_utc(row[OWNED_SINCE])})

    def _again(self, row: Row, attributes: Mapping[str, object], command: Command) -> Draft:
        """Decide a revision with the content of another one, which is so from now on."""
        content = {**super().content_of(row), VALID_FROM: None}
        return Draft(content, attributes, command, revives=False, repeats=True, claims=self.claims, owner=self.owner)

    def _partition(self, id_: Id) -> str:
        return self.partition_of(*parts_of(id_))

    def _timeline_of(self, id_: Id) -> Timeline:
        partition = self._partition(id_)
        return Timeline(
            self.history,
            recorded=KeyQuery(keys=_BY_TIME, index_name="ByTime", partition=partition),
            corrections=KeyQuery(keys=CORRECTIONS, index_name="Corrections", partition=partition),
        )


def since_in(row: ResourceRow) -> str:
    """Return since when its owner has a thing, by its current row: fixed-width UTC; empty: it had no other owner."""
    return times.to_utc(row["ownedSince"]) if "ownedSince" in row else ""


def time_of(row: Mapping[str, Any]) -> str:
    """Return when a version was recorded, fixed-width UTC."""
    return times.to_utc(row["timestamp"])


def _require_version(row: Row | None) -> Row:
    if row is None:
        raise NotFound(NO_VERSION)
    return row
