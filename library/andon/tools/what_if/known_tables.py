"""The tables of replayed services in memory, for what rules know beside events: places, rosters and their like."""

from collections.abc import Callable, Mapping, Sequence

from andon.dynamodb.attribute_values import Item, to_plain, to_typed
from andon.dynamodb.schema import TableSchema
from andon.rules.stored_event import CorrelationKey
from andon.testing.memory.aws import AwsInMemory

KnownRows = Mapping[str, Sequence[Item]]
"""The environment variable of a table -> rows of it."""


class KnownTables(AwsInMemory):
    """Tables that begin with some rows. changes: how often a row was written since, so that reads can be kept."""

    def __init__(self, schemas: Mapping[str, TableSchema], begin_with: KnownRows) -> None:
        super().__init__(schemas)
        self._begin_with = begin_with
        self.changes = 0

    def begin(self) -> None:
        """Forget all, and begin with the rows that are known from the start."""
        self.clear()
        self.changes += 1
        for variable, rows in self._begin_with.items():
            for row in rows:
                self.put(variable, row)

    def put(self, variable: str, row: Item) -> None:
        """Put a row past the stream, if there is such a table."""
        if variable in self.tables:
            self.changes += 1
            self.tables[variable].write("Put", {"Item": to_typed(row)})
            self.tables[variable].new_records()

    def kept(self, context_of: Callable[[CorrelationKey], object]) -> Callable[[CorrelationKey], object]:
        """Return a function that knows the same of a key, and reads it again once any row has changed."""
        known: dict[CorrelationKey, tuple[int, object]] = {}

        def context(key: CorrelationKey) -> object:
            changes, found = known.get(key, (-1, None))
            if changes != self.changes:
                found = context_of(key)
                known[key] = self.changes, found
            return found

        return context


def as_read(row: Item) -> Item:
    """Return a row as a table gives it back."""
    return to_plain(to_typed(row))
