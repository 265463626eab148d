"""Hierarchical sort keys: a path from the widest level to the narrowest, so that one query reads any subtree.

`MX#JAL#Guadalajara#Centro` is found by "all of Mexico", "all of Jalisco" and "this neighbourhood", each a prefix of the
key. A prefix ends in `#`, so that `MX#JAL` never matches `MX#JALISCO`.

Siblings sort by their part and the `#` behind it: `NEW YORK` comes before `NEW`, because a space sorts before `#` (so
do `!` and `"`).
"""

from collections.abc import Mapping
from typing import NamedTuple

from andon.dynamodb.keys import SEPARATOR, prefix, require_part, sort_key, within_limit
from andon.dynamodb.schema import BeginsWith, Between, GreaterThan, LessThan, Sort

# A key of the subtree `MX#JAL#` sorts before `MX#JAL$`, and nothing sorts between the two but that subtree.
_BEHIND_SEPARATOR = chr(ord(SEPARATOR) + 1)


class Hierarchy(NamedTuple):
    """The names of the levels, widest first. `open_end`: the narrowest part may have `#` in it, as ids can."""

    levels: tuple[str, ...]
    open_end: bool = False

    def build(self, path: Mapping[str, str]) -> str:
        """Return the key of a whole path, given by level.

        Raises:
            ValueError: a level is missing, a part is empty or has a `#` in it, or the key is over 1,024 bytes.

        """
        missing = [level for level in self.levels if level not in path]
        if missing:
            raise ValueError(f"the path has no {missing[0]}")
        return self._compose(tuple(path[level] for level in self.levels))

    def parse(self, key: str) -> dict[str, str]:
        """Return the path of a key, by level.

        Raises:
            ValueError: it does not have as many levels.

        """
        splits = len(self.levels) - 1 if self.open_end else -1
        path = dict(zip(self.levels, key.split(SEPARATOR, splits), strict=True))
        self.build(path)
        return path

    def within(self, *path: str) -> Sort | None:
        """Return the condition of the subtree of a path: none is everything, all levels are one key."""
        if not path:
            return None
        first = self._first(path)
        return Between(first, first) if self._is_complete(path) else BeginsWith(first)

    def between(self, first: tuple[str, ...], last: tuple[str, ...]) -> Between:
        """Return the condition from the subtree of one path to that of another, both inclusive.

        Raises:
            ValueError: `last` lies before `first`, which DynamoDB refuses.

        """
        lower, upper = self._first(first), self._behind(last)
        if lower > upper:
            raise ValueError("the last path lies before the first")
        return Between(lower, upper)

    def before(self, *path: str) -> LessThan:
        """Return the condition of everything before the subtree of a path."""
        return LessThan(self._first(path))

    def behind(self, *path: str) -> GreaterThan:
        """Return the condition of everything behind the subtree of a path."""
        return GreaterThan(self._behind(path))

    def _first(self, path: tuple[str, ...]) -> str:
        """Inclusive lower bound of the subtree."""
        if not 1 <= len(path) <= len(self.levels):
            raise ValueError(f"a path has 1 to {len(self.levels)} parts")
        return self._compose(path) if self._is_complete(path) else prefix(*path)

    def _behind(self, path: tuple[str, ...]) -> str:
        """Inclusive upper bound of the subtree; unless the path is whole, no key is equal to it."""
        first = self._first(path)
        return first if self._is_complete(path) else first.removesuffix(SEPARATOR) + _BEHIND_SEPARATOR

    def _is_complete(self, path: tuple[str, ...]) -> bool:
        return len(path) == len(self.levels)

    def _compose(self, path: tuple[str, ...]) -> str:
        if not self.open_end:
            return sort_key(*path)
        *upper, end = path
        if not end:
            raise ValueError("a part of a sort key is text and not empty")
        for part in upper:
            require_part(part)
        return within_limit(SEPARATOR.join(path))
