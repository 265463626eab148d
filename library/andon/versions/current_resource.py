"""Declared things of which the current row alone is kept."""

from collections.abc import Callable, Mapping
from typing import Unpack

from andon.dynamodb.client import Table
from andon.versions.declared import NOT_UNIQUE, Declaration, Declared, Entity, Id, Row, Unique, parts_of
from andon.versions.optimistic_lock import Command, Draft, Guard, Saved
from andon.versions.versioned_write import Versions, save


class CurrentResource(Declared[Row, Entity]):
    """Things with a current row and no other.

    key_of: their id -> its key. fact: the type of the fact of a version. unique: see `Unique`.
    """

    design = "CURRENT_ONLY"

    def __init__(
        self,
        *,
        table: Table,
        key_of: Callable[..., Mapping[str, str | int]],
        fact: str,
        unique: Unique = NOT_UNIQUE,
        **declared: Unpack[Declaration],
    ) -> None:
        super().__init__(**declared)
        self.table, self.key_of, self.fact = table, key_of, fact
        self.unique = unique

    def versions_of(self, id_: Id, guard: Guard | None = None) -> Versions[Row]:  # noqa: ARG002
        """Return the place of it."""
        return Versions(table=self.table, key=self.key_of(*parts_of(id_)), kind=self.kind)

    def save(self, id_: Id, said: Mapping[str, object], command: Command, guard: Guard | None = None) -> Saved[Row]:
        """Save the content of a request."""
        content = self.content_of(self.with_id(id_, said))
        return save(self.versions_of(id_), Draft(content, self.mark_of(id_), command, guard=guard, claims=self.claims))
