"""The due rows before a sweep: the shards of the index that it reads, and the queue of each correlation key."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys
from andon.rules.due import Due, due_by, due_from
from andon.rules.stored_event import CorrelationKey
from andon.runtime.tried import Failed, tried

# Rows of a shard that are read at a time.
PAGE: Final = 500

# Due rows of a key that are done before it is the turn of the others, and in a sweep.
IN_TURN: Final = 25
MOST_OF_KEY: Final = 500


class Shard:
    """A shard of the index, of which more can be read behind `start`."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.start: Item | None = None
        self.has_more = True

    def read_on(self, table: Table, at_ms: int) -> list[Item]:
        """Read the next page of the rows that are due at a time."""
        query = due_by(table.keys, self.number, at_ms)
        rows = table.query(query, limit=PAGE, start=self.start, consistent=True)
        self.start, self.has_more = rows.last_key, rows.last_key is not None
        return rows.items

    def since_ms(self, table: Table) -> int | None:
        """Return since when a row that was not read may have been due; None: all were read, or none."""
        return due_from(table.keys, self.start) if self.has_more and self.start else None


class Queues:
    """The due rows that wait, by correlation key, in the order of time.

    taken: how many of a key this sweep has met, and accepted: how many of all it has accepted. left: how many it has
    not, and since_ms: since when those are due.
    """

    def __init__(self) -> None:
        self.waiting: dict[CorrelationKey, deque[Due]] = {}
        self.taken: Counter[CorrelationKey] = Counter()
        self.accepted = self.left = 0
        self.since_ms: int | None = None

    def add_rows(self, rows: Iterable[Item], keys: Keys) -> list[tuple[Item, Exception]]:
        """Accept rows of the index; return those that nobody can read, each with the reason."""
        unreadable = []
        for row in rows:
            due = tried(Due.of, row, keys)  # others may write into the index
            if isinstance(due, Failed):
                unreadable.append((row, due.error))
            else:
                self.add(due)
        return unreadable

    def add(self, due: Due) -> None:
        """Accept a due row, unless its key has had its share: the rest is due at the next sweep, too."""
        self.taken[due.key] += 1
        if self.taken[due.key] <= MOST_OF_KEY:
            self.waiting.setdefault(due.key, deque()).append(due)
            self.accepted += 1
        else:
            self.left += 1
            self.since_ms = due.at_ms if self.since_ms is None else min(self.since_ms, due.at_ms)

    def take_turns(self) -> Iterator[tuple[CorrelationKey, list[Due]]]:
        """Take the next few of each key."""
        for key, queue in [*self.waiting.items()]:
            yield key, [queue.popleft() for _ in range(min(IN_TURN, len(queue)))]
            if not queue:
                del self.waiting[key]

    def put_back(self, key: CorrelationKey, dues: Sequence[Due]) -> None:
        """Accept rows again that were taken, in front of the others of their key."""
        self.waiting.setdefault(key, deque()).extendleft(reversed(dues))

    def drop(self, key: CorrelationKey) -> int:
        """Leave the waiting rows of a key, and all that are still to be read, to the next sweep; return how many."""
        self.taken[key] = MOST_OF_KEY
        return len(self.waiting.pop(key, ()))

    def leave(self) -> None:
        """Leave all waiting rows to the next sweep."""
        for queue in self.waiting.values():
            for due in queue:
                self.taken[due.key] = MOST_OF_KEY
                self.add(due)
        self.waiting.clear()
