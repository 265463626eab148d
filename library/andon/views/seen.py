"""Reading one's writes: whether a row has seen the event of a write, by the row's own oplock. Pure.

| the row's order under the oplock of the entity | has it seen the write?                                          |
|------------------------------------------------|-----------------------------------------------------------------|
| none, or older                                 | not yet                                                         |
| newer                                          | yes: the write is in it, or was replaced by something newer     |
| equal, and the writer knew the event's id      | yes                                                             |
| of the same millisecond, the id is not known   | if it says what was written; else it is another fact of that ms |
| none, for its family has newer members enough  | yes: the event is dropped as stale when it comes                |
| the row is not there, or has expired           | not yet                                                         |
| any, but the write is older than rows live     | yes: it expired on arrival, or became a fault; nothing comes    |
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.client import Table
from andon.dynamodb.ttl import is_alive, is_expired, ttl_at
from andon.events.written import Written
from andon.runtime.errors import Poison
from andon.views.inverse_oplock import oplock_attribute, order_at
from andon.views.oplock_family import OplockFamily


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The row in which a view keeps an entity; key, oplock, `about_ms`, origin, family: those of its `ViewUpdate`.

    fields: what a row says of this entity, and not of another one of the same millisecond under the same oplock.
    """

    key: Attributes
    oplock: str
    about_ms: int | None = None
    origin: str = ""
    family: OplockFamily | None = None
    fields: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The rows in which a view keeps the writes of commands, by the entity's name.

    days: so long after a write nobody waits for it any more.
    """

    table: Table
    of: Mapping[str, Callable[[Written], Place]]
    days: int

    def awaited(self, written: Written) -> "Awaited":
        """Return the write that a row must have seen.

        Raises:
            ValueError: the view keeps nothing of the entity, or the token names it wrongly.

        """
        place_of = self.of.get(written.entity_name)
        if place_of is None:
            raise ValueError(f"is of {written.entity_name}, of which nothing is kept here")
        try:
            return Awaited(table=self.table, written=written, place=place_of(written), days=self.days)
        except Poison as error:
            raise ValueError(str(error)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """A write that no response may be older than, and the row that shows it."""

    table: Table
    written: Written
    place: Place
    days: int

    def read(self) -> Item | None:
        """Return the row as it is now."""
        return self.table.get(self.place.key, consistent=True)

    def is_row(self, row: Item) -> bool:
        """Return whether `row` is the one that shows it, of the table or of an index."""
        return all(row.get(name) == value for name, value in self.place.key.items())

    def is_seen_by(self, row: Item | None, *, now_ms: int) -> bool:
        """Return whether a row has seen it, or never will."""
        if is_expired(ttl_at(self.written.timestamp_ms, self.days), now_ms):
            return True
        return row is not None and is_alive(row, now_ms) and _has_seen(row, self.place, self.written)


def _has_seen(row: Item, place: Place, written: Written) -> bool:
    attribute = oplock_attribute(place.oplock)
    order = order_at(written.timestamp_ms, written.event_id, place.about_ms, place.origin)
    seen = row.get(attribute)
    if seen is None:
        return place.family is not None and place.oplock in place.family.surplus({**row, attribute: order})
    if written.event_id or not seen.startswith(order):
        return bool(seen >= order)
    return _says(row, place.fields)


def _says(found: object, wanted: object) -> bool:
    """Return whether what was found is what is wanted; in maps, as far as that goes."""
    if not isinstance(wanted, Mapping):
        return found == wanted
    return isinstance(found, Mapping) and all(_says(found.get(name), value) for name, value in wanted.items())
