"""What a sweep has before it: the shards of the index that it reads, and the due times that it has read."""

from collections import Counter, deque
from collections.abc import Iterator
from typing import Final

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.rules.due import Due, due_by, due_from
from andon.rules.stored_event import CorrelationKey

# Rows of a shard that are read at a time.
PAGE: Final = 500

# Due times of a key that are evaluated before it is the turn of the others, and in a sweep.
IN_TURN: Final = 25
MOST_OF_KEY: Final = 500


class Shard:
    """A shard of the index, of which more can be read behind `start`."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.start: Item | None = None
        self.has_more = True

    def read_on(self, table: Table, at_ms: int) -> list[Item]:
        """Read the next page of what is due."""
        query = due_by(table.keys, self.number, at_ms)
        rows = table.query(query, limit=PAGE, start=self.start, consistent=True)
        self.start, self.has_more = rows.last_key, rows.last_key is not None
        return rows.items

    def since_ms(self, table: Table) -> int | None:
        """Return since when something in what was not read may have been due; None: it was read, or never begun."""
        return due_from(table.keys, self.start) if self.has_more and self.start else None


class Queues:
    """What waits of each correlation key, in the order of time.

    taken: how much of a key this sweep has accepted. left: how much it has not, and since_ms: since when that is due.
    """

    def __init__(self) -> None:
        self.waiting: dict[CorrelationKey, deque[Due]] = {}
        self.taken: Counter[CorrelationKey] = Counter()
        self.left = 0
        self.since_ms: int | None = None

    def add(self, due: Due) -> None:
        """Accept what is due, unless its key has had its share: the rest is due at the next sweep, too."""
        self.taken[due.key] += 1
        if self.taken[due.key] <= MOST_OF_KEY:
            self.waiting.setdefault(due.key, deque()).append(due)
        else:
            self.left += 1
            self.since_ms = due.at_ms if self.since_ms is None else min(self.since_ms, due.at_ms)

    def take_turns(self) -> Iterator[tuple[CorrelationKey, list[Due]]]:
        """Take the next few of each key."""
        for key, queue in [*self.waiting.items()]:
            yield key, [queue.popleft() for _ in range(min(IN_TURN, len(queue)))]
            if not queue:
                del self.waiting[key]

    def drop(self, key: CorrelationKey) -> int:
        """Leave what waits of a key, and all that is still to be read of it, to the next sweep; return how much."""
        self.taken[key] = MOST_OF_KEY
        return len(self.waiting.pop(key, ()))

    def leave(self) -> None:
        """Leave all that waits to the next sweep."""
        for queue in self.waiting.values():
            for due in queue:
                self.taken[due.key] = MOST_OF_KEY
                self.add(due)
        self.waiting.clear()
