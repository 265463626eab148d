"""Due rows: rules to be evaluated at a time, in a sharded index that a sweep takes in the order of time. Pure.

| pk | sk | row |
|---|---|---|
| `due#<shard>` | `<13-digit ms>#<correlation key>#<sort key of the anchor>` | `DueRow` |
"""

from typing import Final, Literal, NamedTuple, TypedDict
from zlib import crc32

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.keys import SEPARATOR, prefix, within_limit
from andon.dynamodb.schema import KeyQuery, Keys, LessThan
from andon.rules.stored_event import CorrelationKey
from andon.runtime import times
from andon.runtime.strict_json import is_whole

DUE: Final = "due"

# A partition takes 1,000 write units a second, and each due time costs two: 8,000 due times a second.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
SHARDS: Final = 16

# The sweep reads so many, for a row stays in its shard. With more shards than before it is the same number. With
# fewer, it stays what it was until no old row can be due any more: see docs/rules.md.
READ_SHARDS: Final = SHARDS

MAX_AT_MS: Final = times.LAST_MS

# A sweep deletes rows when they are done. The TTL service deletes those that no sweep could do in so many days.
KEPT_DAYS: Final = 33


class DueRow(TypedDict):
    """The attributes of a row of the index, its primary key aside.

    at: epoch milliseconds. key, anchor: the correlation key and the sort key of the anchor. rules: ids. ttl: epoch
    seconds.
    """

    discriminator: Literal["due"]
    at: int
    key: CorrelationKey
    anchor: str
    rules: list[str]
    ttl: int


class Due(NamedTuple):
    """Rules to be evaluated at an anchor, at `at_ms`; `key` and `anchor` are the anchor's correlation and sort key.

    ttl: epoch seconds. shard: the one that the row lies in, if there were more or fewer shards when it was put; None:
    that of its key.
    """

    at_ms: int
    key: CorrelationKey
    anchor: str
    rules: tuple[str, ...]
    ttl: int
    shard: int | None = None

    @classmethod
    def of(cls, item: Item, keys: Keys) -> "Due":
        """Read a row of the index.

        Raises:
            ValueError, KeyError, TypeError: it is no row that `row` wrote.

        """
        due = cls(item["at"], item["key"], item["anchor"], tuple(item["rules"]), item["ttl"])
        texts: list[object] = [due.key, due.anchor, *due.rules]
        if not all(isinstance(text, str) for text in texts) or not is_whole(due.ttl):
            raise TypeError("an attribute of the row has another type")
        shard = _shard_in(item[keys.partition])
        due = due if shard == shard_of(due.key) else due._replace(shard=shard)
        if due.row_key(keys) != {name: item[name] for name in keys.names}:
            raise ValueError("the row lies under another key")
        return due

    def row_key(self, keys: Keys) -> dict[str, str | int]:
        """Return the primary key, the same however often it is scheduled.

        Raises:
            ValueError: it is longer than DynamoDB allows, or the time has more digits than the others.

        """
        if not 0 <= self.at_ms <= MAX_AT_MS:
            raise ValueError("this time cannot be put in order")
        sort = within_limit(SEPARATOR.join((f"{self.at_ms:013d}", self.key, self.anchor)))
        return keys.of(partition_of(shard_of(self.key) if self.shard is None else self.shard), sort)

    def row(self, keys: Keys) -> Item:
        """Return the row."""
        row: DueRow = {
            "discriminator": DUE,
            "at": self.at_ms,
            "key": self.key,
            "anchor": self.anchor,
            "rules": list(self.rules),
            "ttl": self.ttl,
        }
        return {**self.row_key(keys), **row}


def due_by(keys: Keys, shard: int, at_ms: int) -> KeyQuery:
    """Return the query for the rows of a shard that are due at a time, the first to be due first."""
    return KeyQuery(keys=keys, partition=partition_of(shard), sort=LessThan(f"{at_ms + 1:013d}"), forward=True)


def due_from(keys: Keys, row_key: Item) -> int:
    """Return the time of a row of the index, from its primary key."""
    _, sort = keys.names
    return int(row_key[sort].partition(SEPARATOR)[0])


def partition_of(shard: int) -> str:
    """Return the partition of a shard."""
    return f"{DUE}{SEPARATOR}{shard}"


def _shard_in(partition: str) -> int:
    """Return the shard of a partition."""
    return int(partition.removeprefix(prefix(DUE)))


def shard_of(key: CorrelationKey) -> int:
    """Return the shard of a correlation key: one sweep sees all due rows of it."""
    return crc32(key.encode()) % SHARDS
