"""The rows of one object, in this process: changed under the same conditions as rows of a table, and its JSON.

Equal rows are equal bytes: rows are sorted by their keys, and members by their names.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes, Item, to_plain, to_typed
from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.evaluate import condition as compiled
from andon.dynamodb.expressions import UNCONDITIONAL, Condition, conditional
from andon.dynamodb.schema import Keys
from andon.runtime import strict_json
from andon.runtime.errors import Poison
from andon.views.row_life import REBUILT

ROWS: Final = "rows"


class ObjectKeys(Keys):
    """The primary key of rows that lie in objects: the object's name, then the row's `about` and `sort`.

    about: the attribute with the partition key of the row's events, by which a view is audited and rebuilt. The rows of
    one object are about many.
    """

    def __init__(self, *groups: str, about: str, sort: str | None = None) -> None:
        if not groups:
            raise ValueError("say what names an object: ObjectKeys(<attribute>, …, about=<attribute>)")
        super().__init__(about, sort, one_partition_per="entity")
        self.groups, self.within = groups, self.names
        self.names = (*groups, *self.within)

    def group_of(self, row: Attributes) -> tuple[str, ...]:
        """Return the values that name the object of a row, or of its key.

        Raises:
            Poison: it lacks one.

        """
        if any(name not in row for name in self.names):
            raise Poison(f"a key in objects has {', '.join(self.names)}")
        return tuple(row[name] for name in self.groups)

    def place_of(self, row: Attributes) -> tuple[str, ...]:
        """Return the place of a row in its object."""
        return tuple(row[name] for name in self.within)


class ObjectRows:
    """The rows of one object; it is a `RowStore` of them, and records a change."""

    def __init__(self, keys: ObjectKeys, group: tuple[str, ...], rows: Iterable[Attributes] = ()) -> None:
        self.keys, self.is_changed = keys, False
        self._group = dict(zip(keys.groups, group, strict=True))
        self._rows: dict[tuple[str, ...], Item] = {keys.place_of(row): {**self._group, **row} for row in rows}

    @classmethod
    def from_json(cls, keys: ObjectKeys, group: tuple[str, ...], text: str | bytes) -> "ObjectRows":
        """Return the rows of an object as `to_json` wrote it."""
        # Not strictly: what a table takes, in the rows of an object is nested deeper than strict JSON reads.
        return cls(keys, group, json.loads(text)[ROWS])

    def to_json(self) -> str:
        """Return the object as JSON: the common attributes once, and its rows without them."""
        rows = [{name: value for name, value in row.items() if name not in self._group} for row in self]
        return strict_json.canonical({**self._group, ROWS: rows})

    def __iter__(self) -> Iterator[Item]:
        """Yield the rows, in the order of their places."""
        return (self._rows[place] for place in sorted(self._rows))

    def forget(self, now_ms: int) -> None:
        """Leave out rows that have expired, as DynamoDB deletes them; not those that a rebuild is still writing."""
        kept = {place: row for place, row in self._rows.items() if ttl.is_kept(row, now_ms) or REBUILT in row}
        self._rows = kept

    def get(self, key: Attributes, *, consistent: bool = False) -> Item | None:  # noqa: ARG002  as tables have it
        """Return one row, None if there is none."""
        row = self._rows.get(self.keys.place_of(key))
        return None if row is None else dict(row)

    def delete(self, key: Attributes, *, condition: Condition = UNCONDITIONAL) -> None:
        """Delete one row, if there is one.

        Raises:
            ConditionFailed: the condition did not hold.

        """
        self._require(key, condition)
        self.is_changed |= self._rows.pop(self.keys.place_of(key), None) is not None

    def update(
        self, key: Attributes, *, assign: Attributes, remove: tuple[str, ...] = (), condition: Condition
    ) -> None:
        """Assign and remove attributes of one row; without a row, create it.

        Raises:
            ConditionFailed: the condition did not hold; nothing was changed.
            Poison: a table would not take such a value either.

        """
        before = self._require(key, condition)
        stored = to_plain(to_typed(assign))  # as DynamoDB returns it: whole numbers as such, lists of tuples
        after = {**(before or key), **stored}
        for name in remove:
            after.pop(name, None)
        self.is_changed |= after != before
        self._rows[self.keys.place_of(key)] = after

    def update_and_return(
        self, key: Attributes, *, assign: Attributes, remove: tuple[str, ...] = (), condition: Condition
    ) -> Item:
        """Apply `update`; return the row after it."""
        self.update(key, assign=assign, remove=remove, condition=condition)
        return dict(self._rows[self.keys.place_of(key)])

    def _require(self, key: Attributes, condition: Condition) -> Item | None:
        """Return the row of a key, of which a condition holds.

        Raises:
            ConditionFailed: it does not hold.

        """
        row = self.get(key)
        if condition.expression and not compiled(condition.expression)(to_typed(row or {}), conditional("", condition)):
            raise ConditionFailed(row)
        return row
