"""The tables of replayed services in memory, for what rules know beside events: places, rosters and their like."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from andon.dynamodb.attribute_values import Item, Typed, to_plain, to_typed
from andon.dynamodb.schema import TableSchema
from andon.rules.stored_event import CorrelationKey, StoredEvent
from andon.runtime import clock
from andon.runtime.json_types import JsonObject
from andon.testing.memory.aws import AwsInMemory
from andon.testing.memory.hook import Answer, Call

# The clock of a replay, in the place of the product's only one.


class SimulatedClock:
    """Says the time that it is set to. was_read: somebody asked for it."""

    def __init__(self) -> None:
        self.at_ms, self.was_read = 0, False

    def stand_in(self) -> None:
        """Take the place of the real one, in this process, for good."""
        clock.now_ms = self.now_ms

    def now_ms(self) -> int:
        """Return the time in epoch milliseconds."""
        self.was_read = True
        return self.at_ms


KnownRows = Mapping[str, Sequence[Item]]
"""The environment variable of a table -> rows of it."""

Partition = tuple[str, str]
"""The environment variable of a table, and the value of a partition key."""


class KeptContext(NamedTuple):
    """A context that was read. changes: the writes by then. partitions: those it follows from; None: maybe all."""

    found: object
    changes: int
    partitions: frozenset[Partition] | None


class KnownTables(AwsInMemory):
    """Tables that begin with some rows. They see which partitions are read and written, so that reads can be kept.

    written: partitions that were written while `is_of_group`: by what is not in all groups. stored: the environment
    variable of a table -> correlation key -> the events under it, which are rows as soon as somebody queries them.
    """

    def __init__(self, schemas: Mapping[str, TableSchema], begin_with: KnownRows, clock: SimulatedClock) -> None:
        super().__init__(schemas)
        self._begin_with, self._clock = begin_with, clock
        self._changes = self._other_change = 0
        self._changed: dict[Partition, int] = {}
        self._read, self._other_read = set[Partition](), False
        self.written, self.is_of_group = set[Partition](), True
        self.stored: Mapping[str, Callable[[CorrelationKey], Sequence[StoredEvent]]] = {}
        self._rows_of: dict[Partition, set[str]] = {}

    def begin(self) -> None:
        """Forget all, and begin with the rows that are known from the start."""
        self.clear()
        self._changes += 1
        self._other_change, self._changed, self._rows_of = self._changes, {}, {}
        for variable, rows in self._begin_with.items():
            for row in rows:
                self.put(variable, row)
        self.written.clear()

    def put(self, variable: str, row: Item) -> None:
        """Put a row past the stream, if there is such a table."""
        if variable in self.tables:
            typed = to_typed(row)
            self._note_write(self._partition_of(variable, typed))
            self.tables[variable].write("Put", {"Item": typed})
            self.tables[variable].new_records()

    def answer(self, call: Call) -> Answer:
        """Answer one call, and note what it reads or writes.

        Raises:
            Refused: AWS refuses it.

        """
        request = call.request
        match call.operation:
            case "GetItem" | "BatchGetItem":
                self._read.update(self._asked(request))
            case "Query" if "IndexName" not in request:
                queried = (request["TableName"], request["ExpressionAttributeValues"][":p"]["S"])
                self._read.add(queried)
                self._put_stored(*queried)
            case "PutItem" | "UpdateItem" | "DeleteItem":
                self._note_write(self._partition_of(request["TableName"], request.get("Key") or request["Item"]))
            case _:
                self._changes += 1
                self._other_read, self._other_change = True, self._changes
        return super().answer(call)

    def kept(
        self, context_of: Callable[[CorrelationKey], object], read: set[Partition]
    ) -> Callable[[CorrelationKey], object]:
        """Return a function that knows the same of a key, and reads it again once what it read has changed.

        What follows from the time of day is read each time. read: is added to.
        """
        known: dict[CorrelationKey, KeptContext] = {}

        def context(key: CorrelationKey) -> object:
            there = known.get(key)
            if there is not None and self._is_current(there):
                return there.found
            changes, self._read, self._other_read, self._clock.was_read = self._changes, set(), False, False
            found = context_of(key)
            read.update(self._read)
            if self._clock.was_read:
                known.pop(key, None)
            else:
                known[key] = KeptContext(found, changes, None if self._other_read else frozenset(self._read))
            return found

        return context

    def _is_current(self, kept: KeptContext) -> bool:
        if kept.partitions is None or self._other_change > kept.changes:
            return self._changes == kept.changes
        return all(self._changed.get(one, 0) <= kept.changes for one in kept.partitions)

    def note_stored(self, variable: str, key: CorrelationKey) -> None:
        """Note that there is another event under a key."""
        if (variable, key) in self._rows_of:
            self._note_write((variable, key))

    def _put_stored(self, variable: str, key: CorrelationKey) -> None:
        """Put the events under a key that are no rows yet."""
        there = self._rows_of.setdefault((variable, key), set())
        keys = self.schemas[variable].keys
        for one in self.stored[variable](key) if variable in self.stored else ():
            if one.sort not in there:
                there.add(one.sort)
                self.tables[variable].write("Put", {"Item": to_typed(one.row(keys))})
                self.tables[variable].new_records()

    def _note_write(self, partition: Partition) -> None:
        self._changes += 1
        self._changed[partition] = self._changes
        if self.is_of_group:
            self.written.add(partition)

    def _asked(self, request: JsonObject) -> Iterator[Partition]:
        """Yield the partitions of GetItem or of BatchGetItem."""
        if "Key" in request:
            yield self._partition_of(request["TableName"], request["Key"])
        for variable, some in request.get("RequestItems", {}).items():
            yield from (self._partition_of(variable, key) for key in some["Keys"])

    def _partition_of(self, variable: str, row: Typed) -> Partition:
        [(_, value)] = row[self.schemas[variable].keys.partition].items()
        return variable, value


def as_read(row: Item) -> Item:
    """Return a row as a table gives it back."""
    return to_plain(to_typed(row))
