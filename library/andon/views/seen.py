"""Reading one's writes: a row's own oplock says if the event of a write is in it. Pure.

| the row's order under the oplock of the entity | has it seen the write?                                          |
|------------------------------------------------|-----------------------------------------------------------------|
| none, or older                                 | not yet                                                         |
| newer                                          | yes: the write is in it, or was replaced by something newer     |
| equal, and the writer knew the event's id      | yes                                                             |
| of the same millisecond, the id is not known   | if it says what was written; else it is another fact of that ms |
| none, for its family has newer members enough  | yes: the event is dropped as stale when it comes                |
| the row is not there, or has expired           | not yet                                                         |
| any, but the write is older than rows live     | yes: it expired on arrival, or became a fault; nothing comes    |
|   rows live for ever                           | a write never is                                                |
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.ttl import is_expired, is_kept, ttl_at
from andon.events.written import MALFORMED, TELLS_TOO_LITTLE, Written
from andon.runtime.errors import Poison
from andon.views.object_table import ObjectTable
from andon.views.view_update import ViewUpdate, oplock_attribute, order_at
from andon.views.view_updates import OnObjects, present_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Writes:
    """The writes that a view's callers may wait for: those of which `on` keeps something.

    days: so long after a write nobody waits for it any more: TTL_DAYS of the view. None: it is waited for at any age.
    """

    table: Table | ObjectTable
    on: OnObjects
    days: int | None

    def awaited(self, written: Written) -> "Awaited":
        """Return the write that a row must have seen.

        Raises:
            ValueError: the view keeps nothing of the entity, or the token names it wrongly.

        """
        keep = self.on.get((written.source, written.type))
        if keep is None:
            raise ValueError(f"is of {written.entity_name}, of which nothing is kept here")
        try:
            [update] = present_in(keep(written.event))
        except (Poison, TypeError, ValueError, LookupError, ArithmeticError) as error:
            raise ValueError(TELLS_TOO_LITTLE) from error
        if any(value != value for value in update.key.values()):  # noqa: PLR0124  NaN is of what is untold
            raise ValueError(TELLS_TOO_LITTLE)
        # By the partition the caller was let in: a forged token may name another one.
        if update.key[self.table.keys.partition] != written.partition_key:
            raise ValueError(MALFORMED)
        return Awaited(table=self.table, written=written, update=update, days=self.days)


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """A write that no response may be older than, and the update that shows it, as far as the token says it.

    admits: a row that is not admitted is as if it were not there.
    """

    table: Table | ObjectTable
    written: Written
    update: ViewUpdate
    days: int | None
    admits: Callable[[Item], bool] | None = None

    def among(self, admits: Callable[[Item], bool]) -> "Awaited":
        """Return the same, limited to rows that the caller may know of."""
        return replace(self, admits=admits)

    def read(self) -> Item | None:
        """Return the row as it is now."""
        row = self.table.get(self.update.key, consistent=True)
        return row if row is None or self.admits is None or self.admits(row) else None

    def is_row(self, row: Item) -> bool:
        """Return True if `row`, of the table or of an index, is the row that the write changes."""
        return all(row.get(name) == value for name, value in self.update.key.items())

    def is_seen_by(self, row: Item | None, *, now_ms: int) -> bool:
        """Return True if a row has seen the write, or never will."""
        if self.days is not None and is_expired(ttl_at(self.written.timestamp_ms, self.days), now_ms):
            return True
        # What is kept has seen it, and rightly may not be shown: its date may have passed.
        return row is not None and is_kept(row, now_ms) and _has_seen(row, self.update, self.written)


def _has_seen(row: Item, update: ViewUpdate, written: Written) -> bool:
    attribute = oplock_attribute(update.oplock)
    order = order_at(written.timestamp_ms, written.event_id, update.about_ms, update.origin)
    seen = row.get(attribute)
    if seen is None:
        return update.family is not None and update.oplock in update.family.surplus({**row, attribute: order})
    if written.event_id or not seen.startswith(order):
        return bool(seen >= order)
    return _says(row, update.fields, written)


def _says(found: object, wanted: object, written: Written) -> bool:
    """Return True if the found value is the wanted one, as far as the token names it."""
    if isinstance(wanted, Mapping):
        given: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
        return all(_says(given.get(name), value, written) for name, value in wanted.items())
    return found == wanted or not _is_named(wanted, written)


def _is_named(value: object, written: Written) -> bool:
    """Return True if the token names a value of an update; True is never named, but is equal to 1."""
    return type(value) in {str, int} and value in written.names.values()
