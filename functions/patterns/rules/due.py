"""What is to be done at a time: rows in a sharded index, which a sweep takes out in the order of time. Pure.

| pk | sk | row |
|---|---|---|
| `due#<shard>` | `<13-digit ms>#<correlation key>#<sort key of the anchor>` | the rules to be evaluated at an anchor |
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from zlib import crc32

from patterns.dynamodb.key_query import KeyQuery, LessThan
from patterns.dynamodb.keys import SEPARATOR, within_limit
from patterns.dynamodb.schema import Keys
from patterns.dynamodb.ttl import ATTRIBUTE, ttl_at
from patterns.rules.rule import Rule
from patterns.rules.stored_event import StoredEvent

DUE: Final = "due"

# A partition takes 1,000 write units a second, and each due time costs two: 4,000 due times a second.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
SHARDS: Final = 8

# A sweep removes what it has done. What no sweep could do for so long is removed by the TTL service.
KEPT_DAYS: Final = 33


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """Rules that are to be evaluated at an anchor, at `at_ms`; `key` and `anchor` are the keys of its row."""

    at_ms: int
    key: str
    anchor: str
    rules: tuple[str, ...]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Due":
        """Read a row of the index."""
        return cls(at_ms=row["at"], key=row["key"], anchor=row["anchor"], rules=tuple(row["rules"]))

    def row_key(self, keys: Keys) -> dict[str, str | int]:
        """Give the primary key, the same however often it is made due."""
        sort = within_limit(SEPARATOR.join((f"{self.at_ms:013d}", self.key, self.anchor)))
        return keys.of(partition_of(shard_of(self.key)), sort)

    def row(self, keys: Keys) -> dict[str, Any]:
        """Give the row."""
        return {
            **self.row_key(keys),
            "discriminator": DUE,
            "at": self.at_ms,
            "key": self.key,
            "anchor": self.anchor,
            "rules": list(self.rules),
            ATTRIBUTE: ttl_at(self.at_ms, KEPT_DAYS),
        }


def dues_of(anchor: StoredEvent, rules: Iterable[Rule], *, hold_back_ms: int) -> Iterator[Due]:
    """Tell when which of `rules` are due at an anchor: one row for each time."""
    by_time: dict[int, list[str]] = defaultdict(list)
    for rule in rules:
        by_time[rule.due_ms(anchor, hold_back_ms)].append(rule.id)
    for at_ms, ids in by_time.items():
        yield Due(at_ms=at_ms, key=anchor.key, anchor=anchor.sort, rules=tuple(ids))


def due_by(keys: Keys, shard: int, at_ms: int) -> KeyQuery:
    """Ask for what is due in a shard at a time, the first to be due first."""
    return KeyQuery(keys=keys, partition=partition_of(shard), sort=LessThan(f"{at_ms + 1:013d}"), forward=True)


def partition_of(shard: int) -> str:
    """Name the partition of a shard."""
    return f"{DUE}{SEPARATOR}{shard}"


def shard_of(key: str) -> int:
    """Choose the shard of a correlation key, so that one sweep sees all of it."""
    return crc32(key.encode()) % SHARDS
