"""Declared things with numbered versions, see `numbered_versions`: in one transaction, or kept from the stream."""

from collections.abc import Callable, Mapping
from typing import Unpack

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.keys import sort_key
from andon.dynamodb.schema import KeyQuery
from andon.runtime.errors import NotFound
from andon.versions import numbered_versions
from andon.versions.declared import Declaration, Declared, Entity, Id, Row, parts_of
from andon.versions.numbered_versions import Numbered
from andon.versions.optimistic_lock import Command, Draft, Guard, Saved
from andon.versions.versioned_write import Requirement, Versions, save


class NumberedResource(Declared[Row, Entity]):
    """Things that lie beside one another, below the first part of their id: a current row, and each version apart.

    name: the beginning of their sort keys. fact: the type of the fact of each version. requires: what has to be there
    for a write, by the first part of the id, and as its guard admits.
    """

    design = "NUMBERED"

    def __init__(
        self,
        *,
        table: Table,
        partition_of: Callable[[str], str],
        name: str,
        fact: str,
        requires: Callable[[str, Guard | None], Requirement] | None = None,
        **declared: Unpack[Declaration],
    ) -> None:
        super().__init__(**declared)
        self.table, self.partition_of, self.name, self.fact, self.requires = table, partition_of, name, fact, requires

    def numbered(self, id_: Id) -> Numbered[Row]:
        """Return the place of its numbered versions."""
        first, *others = parts_of(id_)
        return Numbered(
            table=self.table,
            partition=self.partition_of(first),
            name=sort_key(self.name, *others),
            apart=True,
            attributes=self.mark_of(id_, f"{self.kind}-revision"),
        )

    def versions_of(self, id_: Id, guard: Guard | None = None) -> Versions[Row]:
        """Return the place of its versions."""
        requires = None if self.requires is None else self.requires(parts_of(id_)[0], guard)
        return numbered_versions.versions_of(self.numbered(id_), requires=requires)._replace(kind=self.kind)

    def current_of(self, first: str) -> KeyQuery:
        """Return the query of all current ones below the first part of their id."""
        return numbered_versions.all_current(self.table, self.partition_of(first), self.name)

    def revisions_of(self, id_: Id) -> KeyQuery:
        """Return the query of all versions, newest first; of those from the stream the newest may not be kept yet."""
        return self.numbered(id_).history()

    def kept_revision(self, row: Item) -> tuple[Table, Item]:
        """Return the table and the row of the revision that a current row is."""
        return self.table, numbered_versions.revision_of(self.numbered(self.id_in(row)), row)

    def get_version(self, id_: Id, version: int) -> Row:
        """Read a version.

        Raises:
            NotFound: there is none.

        """
        row = self._version(self.versions_of(id_), version)
        if row is None:
            raise NotFound(self.missing)
        return row

    def save(self, id_: Id, said: Mapping[str, object], command: Command, guard: Guard | None = None) -> Saved[Row]:
        """Save the content of a request as the next version."""
        return save(self.versions_of(id_, guard=guard), self._draft(id_, said, command))

    def _draft(self, id_: Id, said: Mapping[str, object], command: Command) -> Draft:
        return Draft(self.content_of(self.with_id(id_, said)), self.mark_of(id_), command)

    def _version(self, versions: Versions[Row], version: int) -> Row | None:
        return versions.revision(version)


class FromStream(NumberedResource[Row, Entity]):
    """Things with versions that the trigger keeps, a moment later."""

    design = "FROM_STREAM"

    def save(self, id_: Id, said: Mapping[str, object], command: Command, guard: Guard | None = None) -> Saved[Row]:  # noqa: ARG002
        """Save the content of a request; the trigger keeps the version."""
        return numbered_versions.save_current(self.numbered(id_), self._draft(id_, said, command))

    def _version(self, versions: Versions[Row], version: int) -> Row | None:
        kept = versions.revision(version)
        if kept is not None:
            return kept
        current = versions.current()
        return current if current and current["version"] == version else None
