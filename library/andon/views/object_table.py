"""Rows of a view in objects of S3, one object for each group of them, written on condition.

An object is read, changed in this process under the conditions that a table would check, and written if it is still
what was read: `If-Match` its ETag, `If-None-Match: *` where there was none. If it is not, all begins again.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final, NamedTuple, TypeVar
from urllib.parse import quote, unquote

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.runtime.errors import Poison
from andon.views.inverse_oplock import RowContended
from andon.views.object_rows import ObjectKeys, ObjectRows
from andon.views.view_updates import GONE
from andon.wire.bucket import Bucket, readable
from andon.wire.in_parallel import pause
from andon.wire.retries import jitter

FOLDER: Final = "rows"
SUFFIX: Final = ".json"

ATTEMPTS: Final = 10
FIRST_PAUSE_SECONDS: Final = 0.02

# Lambda sends at most 6 MB, in which each quote is escaped once more: see MAX_PAGE_BYTES of http/page.py.
MOST_BYTES: Final = 4 * 1024 * 1024

# https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
MOST_KEY_BYTES: Final = 1024

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
        if len(name) > MOST_KEY_BYTES:
            raise Poison(f"the key of an object has at most {MOST_KEY_BYTES} bytes")
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
