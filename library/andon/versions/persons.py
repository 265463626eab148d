"""Persons: the name behind an id, until they are erased. One service of a project keeps them, see `Project.people`.

| table | key | row |
|---|---|---|
| of names | `Person#<id>` | what is said of a person; after the erasure a fence without any of it |
| of erasures | id | that a person was erased, and when |
| of erasures | `Placed#<id>` | the place of a person, as others may know it; nothing after the erasure |

Names stand in the first table and nowhere else: no stream, no history, and no backup older than a day has them. A
service that declares its persons as the only one of its RESOURCES has the tables, facts and versioning of this. How one
is erased stands in `erasing`, apart: who only reads or publishes does not load it.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypedDict, cast

from andon.dynamodb.client import Put, Table
from andon.dynamodb.expressions import Condition
from andon.dynamodb.schema import Index, KeyQuery, Keys, TableSchema
from andon.events.fact import Facts, fact_of_row
from andon.runtime import times
from andon.runtime.errors import Conflict
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.marks import NotRequired
from andon.versions.also import Also
from andon.versions.optimistic_lock import Command, Draft, Guard, VersionedRow, changed, require_admitted
from andon.versions.versioned_write import Versions

if TYPE_CHECKING:
    from andon.versions.aggregate import Aggregates
    from andon.versions.owned import Grants

KEYS: Final = Keys("pk", one_partition_per="entity")
_ERASURE_KEYS: Final = Keys("id", one_partition_per="entity")
ERASURES: Final = Table("ERASURES_TABLE", _ERASURE_KEYS)

ERASURE, PLACEMENT = "erasure", "placement"
"""Discriminators, and the names of the writes of one transaction."""

PLACED: Final = "Placed#"
"""No person's id has it: whoever erases the ids of the table again erases nobody by it."""


class PersonRow(VersionedRow):
    """The row of a person: its primary key, and the person's content; a fence has none.

    placed: there is a placement beside it.
    """

    id: str
    placed: NotRequired[Literal[True]]


class ErasureRow(TypedDict):
    """The row of an erasure; `timestamp`: epoch milliseconds."""

    discriminator: str
    id: str
    timestamp: int
    changedBy: str


class Placed(NamedTuple):
    """Place of persons: the member with its id, as `siteId`, and the entity that others are told, which has both ids.

    Its fact is published when somebody is written down: others know by it where a person is, and no name.
    """

    member: str
    entity: type


class Persons:
    """Persons of a project.

    service: which owns them. kind: what one is called, with `_` between words; its facts are called by it. content: the
    TypedDict of what is said of one, the name among it. entity: that of an erasure, with `id` and `erasedAt`. placed:
    where they are.
    """

    design: Final = "PERSONS"

    def __init__(self, *, service: str, kind: str, content: type, entity: type, placed: Placed | None = None) -> None:
        self.service, self.kind, self.content, self.entity, self.placed = service, kind, content, entity, placed
        self.names = tuple(content.__annotations__)
        self.table = Table(f"{service.upper()}_TABLE", KEYS)
        self.fact_of: Final = fact_of_row(
            f"{kind.replace('_', '-')}-erased", kind, partition="id", entity_of=_erasure_entity, once=True
        )

    # A person.

    def key_of(self, id_: str) -> dict[str, str | int]:
        """Return the primary key of a person's row."""
        return KEYS.of(f"Person#{id_}")

    def versions_of(self, id_: str) -> Versions[PersonRow]:
        """Return the place of a person's row; no earlier version is kept."""
        return Versions(table=self.table, key=self.key_of(id_))

    def get_many(self, ids: list[str]) -> list[PersonRow]:
        """Read up to 100 persons, of those that are known."""
        return [cast("PersonRow", row) for row in self.table.get_many([self.key_of(id_) for id_ in ids]) if row]

    def draft(self, id_: str, said: JsonMapping, command: Command, guard: Guard | None = None) -> Draft:
        """Draft a person's content; an erased id stays erased.

        Raises:
            Rejected: the guard does not admit it.

        """
        content, also = {**said}, dict[str, Also]()
        if self.placed:
            content["placed"] = True  # what was written before gets a placement, too
            also[PLACEMENT] = self._placement(id_, said[self.placed.member], command)
        require_admitted(guard, content)
        gone = Conflict(f"This {self.kind.replace('_', ' ')} was erased. The id is not given to anybody again.")
        return Draft(content, {"id": id_}, command, revives=False, gone=gone, guard=guard, also=also)

    def at_place(self, place: str) -> KeyQuery:
        """Return the query of the persons of a place, by their ids; the erased are in none."""
        name, keys = self._by_place
        return KeyQuery(keys=keys, partition=place, index_name=name, forward=True, has_keys_only=True)

    def to_response(self, row: PersonRow) -> JsonObject:
        """Return a row for a response."""
        if row.get("deleted"):
            return {"id": row["id"], "erased": True}
        fields: JsonMapping = row
        said = {name: fields[name] for name in self.names if name in row}
        return {"id": row["id"], "version": row["version"], **said, **changed(row)}

    # A placement: it is written in the transaction that writes the person, since the table of names has no stream.

    def _placement(self, id_: str, place: str, command: Command) -> Also:
        assert self.placed is not None  # noqa: S101
        row = {
            "discriminator": PLACEMENT,
            self.kind: id_,
            "version": command.next_version,
            self.placed.member: place,
            "timestamp": command.now_ms,
            "changedBy": command.actor,
        }
        # By its time, where the person's row was lost with a region and begins anew: placements come from the lake.
        newer = Condition(
            "attribute_not_exists(#id) OR #version < :version OR #timestamp < :now",
            {name: name for name in ("id", "version", "timestamp")},
            {"version": command.next_version, "now": command.now_ms},
        )
        return Also(Put(ERASURES, {**placed_key(id_), **row}, newer))

    def _placement_entity(self, row: JsonMapping) -> JsonMapping:
        assert self.placed is not None  # noqa: S101
        return {"id": row[self.kind], self.placed.member: row[self.placed.member]}

    @property
    def _by_place(self) -> tuple[str, Keys]:
        """The name of the index of persons by their place, and its keys."""
        assert self.placed is not None  # noqa: S101
        member = self.placed.member
        stem = member.removesuffix("Id")
        return f"By{stem[:1].upper()}{stem[1:]}", Keys(member, KEYS.partition, one_partition_per="tenant")

    # What the package declares by it, see `andon.packages.package`.

    @property
    def facts(self) -> Facts:
        """The facts: a person's place, and that somebody was erased. No name is ever published."""
        one = self.kind.replace("_", "-")
        erased, placed = f"{one}-erased", f"{one}-placed"
        facts = Facts(self.service, frozenset({erased}), {ERASURE: self.fact_of}, entities={erased: self.entity})
        if self.placed is None:
            return facts
        told = fact_of_row(placed, PLACEMENT, partition=self.kind, entity_of=self._placement_entity)
        return facts._replace(
            types=facts.types | {placed},
            of={**facts.of, PLACEMENT: told},
            entities={**facts.entities, placed: self.placed.entity},
        )

    @property
    def tables(self) -> Mapping[str, TableSchema]:
        """The tables: that of names has neither a stream nor old backups, and its index has keys only."""
        indexes = {name: Index(keys, projects=()) for name, keys in ([self._by_place] if self.placed else [])}
        return {
            self.table.variable: TableSchema(KEYS, indexes=indexes, expires=False, recovery_days=1),
            ERASURES.variable: TableSchema(_ERASURE_KEYS, stream=True, expires=False),
        }

    @property
    def grants(self) -> "Grants":
        """The calls of each role: less than a service's."""
        names = self.table.variable
        query: dict[str, tuple[str, ...]] = {names: ("BatchGetItem", "GetItem")}
        if self.placed:
            query[f"{names}/{self._by_place[0]}"] = ("Query",)
        erasures = ("DeleteItem", "PutItem") if self.placed else ("PutItem",)
        return {
            "command": {names: ("GetItem", "PutItem", "UpdateItem"), ERASURES.variable: erasures},
            "query": query,
        }

    @property
    def aggregates(self) -> "Aggregates":
        """The versioning: of a name no earlier version is kept, so that an erasure leaves none."""
        from andon.versions import aggregate as of  # noqa: PLC0415  no function loads it

        seldom, often, slow = of.Frequency.SELDOM, of.Frequency.OFTEN, of.Speed.SLOW
        given = of.Identity.GIVEN
        found = {
            self.kind: of.Aggregate(of.CURRENT_ONLY, given, revised=seldom, read=often, speed=slow),
            ERASURE: of.Aggregate(of.WRITTEN_ONCE, given, revised=of.Frequency.NEVER, read=seldom, speed=slow),
        }
        placement = of.Aggregate(of.CURRENT_ONLY, given, revised=seldom, read=seldom, speed=slow)
        return {**found, PLACEMENT: placement} if self.placed else found

    def declarations(self, file: str) -> dict[str, Any]:
        """Return the declarations of a file of the package, by name."""
        if file == "facts":
            return {"FACTS": self.facts}
        if file == "versioning":
            return {"AGGREGATES": self.aggregates}
        return {"TABLE": self.table, "TABLES": self.tables, "GRANTS": self.grants}


def placed_key(id_: str) -> dict[str, str | int]:
    """Return the primary key of a placement."""
    return _ERASURE_KEYS.of(f"{PLACED}{id_}")


def _erasure_entity(row: ErasureRow) -> JsonMapping:
    return {"id": row["id"], "erasedAt": times.to_utc(row["timestamp"])}
