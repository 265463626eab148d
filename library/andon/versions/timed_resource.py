"""Declared things that say a time of their own, as readings do: one row for each time, which never changes.

A reading comes late, and it comes twice. The same again changes nothing; another one of the same time is a conflict.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeGuard, Unpack

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import ConditionFailed, Table
from andon.dynamodb.schema import Between, KeyQuery
from andon.dynamodb.ttl import is_alive, is_expired, ttl_at
from andon.events.actor import author_in
from andon.events.fact import Change, Fact
from andon.runtime import times
from andon.runtime.errors import Conflict, Invalid, NotFound
from andon.runtime.json_types import JsonObject
from andon.versions.declared import Declaration, Declared, Entity, Id, parts_of

BEFORE_ALL: Final = "0"
BEHIND_ALL: Final = ":"
"""Bounds of sort keys that are times: the first behind all digits."""


class KeptReport(NamedTuple):
    """The row of a time; `created`: it was written now, else it was there already."""

    row: Item
    created: bool


class TimedResource(Declared[Any, Entity]):
    """Things with a row for each time, which is the last part of their id and the sort key: fixed-width UTC.

    days: so long a row is kept after its time, and so late it may come.
    """

    design = "TIME_BASED"

    def __init__(
        self,
        *,
        table: Table,
        key_of: Callable[..., Mapping[str, str | int]],
        fact: str,
        days: int,
        **declared: Unpack[Declaration],
    ) -> None:
        declared["counted_as"] = ""
        super().__init__(**declared)
        self.table, self.key_of, self.fact, self.days = table, key_of, fact, days

    def keep(self, id_: Id, said: Mapping[str, object], *, actor: str, now_ms: int) -> KeptReport:
        """Keep a report of a time, once.

        Raises:
            Invalid: the time is ahead of the clock, or so far back that its row has expired.
            Conflict: something else is kept of that time.

        """
        row = self.row_at(id_, said, actor=actor, now_ms=now_ms)
        try:
            self.table.put(row, condition=self.table.absent)
        except ConditionFailed as failed:
            if not self._is_own(failed.row) or self.published_of(failed.row) != self.published_of(row):
                raise Conflict(f"Another {self.kind} of this time is there already.") from failed
            return KeptReport(failed.row, created=False)
        return KeptReport(row, created=True)

    def row_at(self, id_: Id, said: Mapping[str, object], *, actor: str, now_ms: int) -> JsonObject:
        """Decide the row of a time.

        Raises:
            Invalid: see `keep`.

        """
        *_, time = parts_of(id_)
        ttl, field = ttl_at(times.to_ms(time), self.days), f"path.{self.id[-1]}"
        if times.to_ms(time) > now_ms + times.MAX_AHEAD_MS:
            raise Invalid.field(field, "lies more than five minutes in the future")
        if is_expired(ttl, now_ms):
            raise Invalid.field(field, f"is older than {self.days} days")
        content = {name: value for name, value in self.content_of(said).items() if value is not None}
        return {**self.key_of(*parts_of(id_)), **content, **self.mark_of(id_), "changedBy": actor, "ttl": ttl}

    def at(self, id_: Id, *, now_ms: int) -> Item:
        """Read the row of a time.

        Raises:
            NotFound: there is none, or it has expired.

        """
        row = self.table.get(self.key_of(*parts_of(id_)), consistent=True)
        if not self._is_own(row) or not is_alive(row, now_ms):
            raise NotFound(self.missing)
        return row

    def _is_own(self, row: Item | None) -> TypeGuard[Item]:
        return row is not None and self.has(row)

    def rows_of(self, first: str, between: Between) -> KeyQuery:
        """Return the query of the rows between two times, newest first. first: the id without the time."""
        partition = self.key_of(first, BEFORE_ALL)[self.table.keys.partition]
        return KeyQuery(keys=self.table.keys, partition=str(partition), sort=between)

    def time_of(self, row: Item) -> str:
        """Return the time of a row, fixed-width UTC."""
        time: str = row[self.id[-1]]
        return time

    def fact_of(self, change: Change) -> Fact | None:
        """Return the fact of a row, which is that of its own time; its expiry is none."""
        row = change.new
        if row is None or change.kind != "INSERT":
            return None
        at_ms = times.to_ms(self.time_of(row))
        return Fact(self.fact, at_ms, row[self.id[0]], self.kind, self.published_of(row), actor=author_in(row))
