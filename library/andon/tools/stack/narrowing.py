"""Queries of the emulator that look at few rows: for each page it orders and tests all rows of a partition.

A partition of a micro event store has hundreds of rows, of which a rule looks at the newest few. `Partitions` takes the
place of the emulator's `defaultdict` of rows by partition key. While a query is answered, it hands out those rows in
which the whole page lies; the emulator orders and tests these, as it does with all of them otherwise.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from andon.tools.stack.key_conditions import SortCondition, sort_condition

Request = Mapping[str, Any]
Rows = dict[str, dict[str, Any]]


class Wanted(NamedTuple):
    """The rows that a page lies in: those that meet a condition, from a sort key on; None of `most`: all of them."""

    condition: SortCondition
    start: str | None
    most: int | None
    forward: bool

    @classmethod
    def by(cls, request: Request) -> "Wanted | None":
        """Return the rows that a query needs of a table; None: the emulator has to see all rows."""
        condition = sort_condition(
            request.get("KeyConditionExpression", ""),
            request.get("ExpressionAttributeValues", {}),
            request.get("ExpressionAttributeNames", {}),
        )
        if condition is None or "IndexName" in request:
            return None
        start, limit = request.get("ExclusiveStartKey", {}).get(condition.name, {}).get("S"), request.get("Limit")
        most = None if limit is None else int(limit) + 1  # the row that the page starts behind is one of them
        return cls(condition, start, most, request.get("ScanIndexForward", True))

    def of(self, rows: Rows) -> Rows:
        """Return those of a partition, by their sort keys."""
        rows = rows.copy()  # another thread may write meanwhile
        keys = sorted(filter(self.condition.holds, rows))
        if self.start is not None:
            keys = keys[bisect_left(keys, self.start) :] if self.forward else keys[: bisect_right(keys, self.start)]
        if self.most is not None:
            keys = keys[: self.most] if self.forward else keys[-self.most :]
        return {key: rows[key] for key in keys}


_wanted: Final[ContextVar[Wanted | None]] = ContextVar("wanted", default=None)


class Partitions(defaultdict[str, Rows]):
    """The rows of a table, by partition key and sort key."""

    def get(self, partition: str, default: Any = None) -> Any:  # noqa: ANN401  as a dict
        """Return the rows of a partition; while a query is answered, those that it wants."""
        rows, wanted = super().get(partition, default), _wanted.get()
        return wanted.of(rows) if wanted and rows else rows


def narrowed(query: Callable[[Request], Any]) -> Callable[[Request], Any]:
    """Return the emulator's `_query`, before which `Partitions` hold back what it does not need."""

    def narrow(request: Request) -> Any:  # noqa: ANN401  a response
        token = _wanted.set(Wanted.by(request))
        try:
            return query(request)
        finally:
            _wanted.reset(token)

    return narrow
