"""Rows of a view in objects of S3, one object for each group of them, written on condition.

An object is read, changed in this process under the conditions that a table would check, and written if it is still
what was read: `If-Match` its ETag, `If-None-Match: *` where there was none. If it is not, all begins again.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final, NamedTuple, TypeVar
from urllib.parse import quote, unquote

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes, Item, to_plain, to_typed
from andon.dynamodb.client import ConditionFailed
from andon.dynamodb.evaluate import condition as compiled
from andon.dynamodb.expressions import UNCONDITIONAL, Condition, conditional
from andon.dynamodb.schema import Keys
from andon.runtime import strict_json
from andon.runtime.errors import Poison
from andon.views.row_life import REBUILT
from andon.views.view_update import RowContended
from andon.views.view_updates import GONE
from andon.wire.bucket import Bucket, readable
from andon.wire.in_parallel import pause
from andon.wire.retries import jitter

# The rows of one object, in this process: changed under the same conditions as rows of a table, and its JSON.
#
# Equal rows are equal bytes: rows are sorted by their keys, and members by their names.

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


FOLDER: Final = "rows"
SUFFIX: Final = ".json"

ATTEMPTS: Final = 10
FIRST_PAUSE_SECONDS: Final = 0.02

# Lambda sends at most 6 MB, in which each quote is escaped once more: see MAX_PAGE_BYTES of http/page.py.
MOST_BYTES: Final = 4 * 1024 * 1024

# https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
_MOST_KEY_BYTES: Final = 1024

Result = TypeVar("Result")


class ObjectTable:
    """The objects of one bucket, named by an environment variable that ends in `_BUCKET`; it is a `RowStore`.

    window_seconds: so long a listener waits for more messages, that are written together; fewer writes, later rows.
    """

    def __init__(self, variable: str, keys: ObjectKeys, *, window_seconds: int = 5) -> None:
        self.variable, self.keys, self.window_seconds = variable, keys, window_seconds
        self._bucket = Bucket(variable)

    def name_of(self, group: tuple[str, ...]) -> str:
        """Return the S3 key of a group's object.

        Raises:
            Poison: it is longer than S3 allows.

        """
        # No two groups have the same, and no part is `..` or has a slash in it.
        parts = (quote(part, safe="").replace(".", "%2E") for part in group)
        name = f"{FOLDER}/{'/'.join(parts)}{SUFFIX}"
        if len(name) > _MOST_KEY_BYTES:
            raise Poison(f"the key of an object has at most {_MOST_KEY_BYTES} bytes")
        return name

    def groups(self) -> Iterator[tuple[str, ...]]:
        """List the groups that have an object; it needs no more than their names."""
        for name in self._bucket.keys(f"{FOLDER}/"):
            parts = name.removeprefix(f"{FOLDER}/").removesuffix(SUFFIX).split("/")
            yield tuple(unquote(part) for part in parts)

    def read(self, group: tuple[str, ...]) -> ObjectRows:
        """Return all rows of an object, as it is now; without an object that can be read there are none."""
        return self._find(group).rows

    def shown(self, group: tuple[str, ...], *, now_ms: int) -> list[Item]:
        """Return the rows of an object that readers may see: not those that expired, or that were left elsewhere."""
        return shown_in(self.read(group), now_ms)

    def rows_about(self, partition: str, keys: Iterable[Attributes]) -> Iterator[Item]:
        """Yield the rows about a partition of events, in the objects of some keys."""
        for group in sorted({self.keys.group_of(key) for key in keys}):
            yield from (row for row in self.read(group) if row[self.keys.partition] == partition)

    def change(self, group: tuple[str, ...], change: Callable[[ObjectRows], Result]) -> Result:
        """Change the rows of an object, and write it unless they are as before; return the result of `change`.

        `change` is called again if somebody else wrote the object meanwhile: no change is lost. What it raises leaves
        the object as it is.

        Raises:
            Poison: the object would be larger than `MOST_BYTES`.
            RowContended: others wrote it at each of `ATTEMPTS` attempts.

        """
        for attempt in range(ATTEMPTS):
            found = self._find(group)
            result = change(found.rows)
            if not found.rows.is_changed or self._save(group, found):
                return result
            pause(FIRST_PAUSE_SECONDS * 2 ** min(attempt, 5) * jitter())
        raise RowContended

    def get(self, key: Attributes, *, consistent: bool = False) -> Item | None:  # noqa: ARG002  every read is
        """Return one row, None if there is none."""
        return self.read(self.keys.group_of(key)).get(key)

    def delete(self, key: Attributes, *, condition: Condition = UNCONDITIONAL) -> None:
        """Delete one row, if there is one; see `ObjectRows.delete`."""
        self.change(self.keys.group_of(key), lambda rows: rows.delete(key, condition=condition))

    def update(
        self, key: Attributes, *, assign: Attributes, remove: tuple[str, ...] = (), condition: Condition
    ) -> None:
        """Assign and remove attributes of one row; see `ObjectRows.update`."""
        self.update_and_return(key, assign=assign, remove=remove, condition=condition)

    def update_and_return(
        self, key: Attributes, *, assign: Attributes, remove: tuple[str, ...] = (), condition: Condition
    ) -> Item:
        """Apply `update`; return the row after it."""
        update = partial(ObjectRows.update_and_return, key=key, assign=assign, remove=remove, condition=condition)
        return self.change(self.keys.group_of(key), update)

    def _find(self, group: tuple[str, ...]) -> "_Found":
        name = self.name_of(group)
        found = self._bucket.find(name)
        if found is None:
            return _Found(ObjectRows(self.keys, group), None)
        # One that cannot be read is replaced by the next change, and a recompute brings its other rows back.
        rows = readable(name, found.body, partial(ObjectRows.from_json, self.keys, group))
        return _Found(ObjectRows(self.keys, group) if rows is None else rows, found.etag)

    def _save(self, group: tuple[str, ...], found: "_Found") -> bool:
        """Write an object if it is still the one that was found; return False if it is not."""
        text = found.rows.to_json()
        if (size := len(text.encode())) > MOST_BYTES:
            raise Poison(f"an object would have {size} bytes, and not {MOST_BYTES} at most: name smaller groups")
        return self._bucket.put_if(self.name_of(group), text, etag=found.etag)


class _Found(NamedTuple):
    """An object as it was read; without an ETag there was none."""

    rows: ObjectRows
    etag: str | None


def shown_in(rows: Iterable[Item], now_ms: int) -> list[Item]:
    """Return the rows that readers may see."""
    return [row for row in rows if ttl.is_alive(row, now_ms) and GONE not in row]
