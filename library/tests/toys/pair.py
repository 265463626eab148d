"""Two versions of a service that keep notes: the old one has a text, the new one lines and a colour.

The text is the lines, joined. The colour cannot be said in the old one, the mood of a text not in the new one: each
stays where it was said. Both keep a history, or neither.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.schema import KeyQuery, Keys, TableSchema
from andon.events.actor import author_in
from andon.events.domain_event import DomainEvent
from andon.events.fact import Change, Fact, Facts, lifecycle
from andon.sync.crossing import Crossing, EditedRow
from andon.versions.optimistic_lock import Command, Draft, Saved, fingerprint_of
from andon.versions.versioned_write import Revisions, Versions, change, save
from andon.views.materialize import Listener

Name = Literal["old", "new"]
NAMES: Final[tuple[Name, Name]] = ("old", "new")

KEYS: Final = Keys("pk", "sk", one_partition_per="entity")
HISTORY: Final = Keys("pk", "version", sort_type="N", one_partition_per="entity")

TOMBSTONE_TTL: Final = 4_000_000_000

Said = Mapping[str, Any]
"""Content of a note: `text` and `mood` in the old service, `lines` and `colour` in the new one."""


class Side(NamedTuple):
    """One of the two services."""

    name: Name
    keeps_history: bool

    @property
    def entity(self) -> str:
        return "note" if self.name == "old" else "page"

    @property
    def other(self) -> "Side":
        return self._replace(name="new" if self.name == "old" else "old")

    @property
    def table(self) -> Table:
        return Table(f"{self.name.upper()}_TABLE", KEYS)

    @property
    def history(self) -> Table:
        return Table(f"{self.name.upper()}_HISTORY_TABLE", HISTORY)

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(f"{self.entity}-{life}" for life in ("created", "updated", "deleted", "undeleted"))

    @property
    def facts(self) -> Facts:
        return Facts(source=self.name, types=frozenset(self.types), of={self.entity: self.changed})

    @property
    def crossing(self) -> Crossing[Any]:
        return Crossing(
            own=self.name, theirs=self.other.name, versions_of=self.versions_in, from_theirs=self.from_theirs
        )

    @property
    def view(self) -> Listener:
        on = {(str(self.other.name), event_type): self.crossing for event_type in self.other.types}
        return Listener(name=self.name, table=self.table, on=on, ttl_days=None, is_rebuilt=False)

    def versions_of(self, note: str) -> Versions[Any]:
        revisions = Revisions(
            table=self.history,
            key_of=lambda version: {"pk": note, "version": version},
            all=KeyQuery(keys=HISTORY, partition=note),
            attributes={"discriminator": "revision"},
        )
        return Versions(
            table=self.table, key={"pk": note, "sk": "-"}, revisions=revisions if self.keeps_history else None
        )

    def versions_in(self, event: DomainEvent) -> Versions[Any]:
        return self.versions_of(event.entity(self.other.entity).text("id"))

    def changed(self, made: Change) -> Fact | None:
        row = made.new
        if row is None:
            return None
        entity = {"id": row["pk"], **self.said_in(row)} | ({"deleted": True} if "deleted" in row else {})
        return Fact(lifecycle(made, self.entity), row["timestamp"], row["pk"], self.entity, entity, author_in(row))

    def said_in(self, row: Said) -> dict[str, Any]:
        return {name: row.get(name) for name in self.attributes}

    @property
    def attributes(self) -> tuple[str, str]:
        return ("text", "mood") if self.name == "old" else ("lines", "colour")

    def from_theirs(self, event: DomainEvent, row: Item | None) -> EditedRow:
        entity = event.entity(self.other.entity)
        said = from_new if self.name == "old" else from_old
        deleted = entity.get("deleted") is True
        kept = frozenset(self.attributes)
        return EditedRow(said(entity.fields, row), self.mark(deleted=deleted), deleted=deleted, kept=kept)

    def mark(self, *, deleted: bool) -> dict[str, Any]:
        return {"discriminator": self.entity} | ({"ttl": TOMBSTONE_TTL} if deleted else {})

    def put(self, note: str, said: Said, *, now_ms: int, if_match: int | None = None, actor: str = "ann") -> Saved[Any]:
        command = self._command("PUT", note, said, now_ms, if_match, actor)
        draft = Draft({name: said.get(name) for name in self.attributes}, self.mark(deleted=False), command)
        return save(self.versions_of(note), draft)

    def delete(self, note: str, *, now_ms: int, if_match: int | None = None, actor: str = "ann") -> Saved[Any]:
        command = self._command("DELETE", note, {}, now_ms, if_match, actor)
        return change(self.versions_of(note), command, partial(self._tombstone, command=command))

    def _tombstone(self, row: Item, command: Command) -> Draft:
        said, mark, kept = self.said_in(row), self.mark(deleted=True), frozenset(self.attributes)
        return Draft(said, mark, command, deleted=True, kept=kept, revives=False, repeats=True)

    def _command(self, verb: str, note: str, said: Said, now_ms: int, if_match: int | None, actor: str) -> Command:
        path, route = {"id": note}, f"{verb} /{self.name}/{{id}}"
        fingerprint = fingerprint_of(route=route, path=path, if_match=if_match, body=dict(said), actor=actor)
        return Command(actor, now_ms, if_match, fingerprint)


def from_new(page: Said, upon: Item | None) -> dict[str, Any]:
    return {"text": "/".join(page["lines"]), "mood": (upon or {}).get("mood")}


def from_old(note: Said, upon: Item | None) -> dict[str, Any]:
    return {"lines": note["text"].split("/"), "colour": (upon or {}).get("colour")}


def schemas(*, keeps_history: bool) -> dict[str, TableSchema]:
    current = {Side(name, keeps_history).table.variable: TableSchema(KEYS, stream=True) for name in NAMES}
    if not keeps_history:
        return current
    return current | {Side(name, keeps_history).history.variable: TableSchema(HISTORY, expires=False) for name in NAMES}


def shared_of(side: Side, row: Said) -> tuple[str, ...]:
    """Return a row's content that both services have."""
    return tuple(row["text"].split("/") if side.name == "old" else row["lines"])
