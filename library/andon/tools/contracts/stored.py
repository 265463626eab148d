"""Consumers of events that a service has stored: rules, senders and queries, run on a table with other events in it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Typed, to_plain, to_typed
from andon.events.change_data_capture import kind_of
from andon.events.topic import Topic
from andon.rules.stored_event import CORRELATED, EVENT, UNREADABLE
from andon.runtime.json_types import JsonObject
from andon.testing.memory.tables import MemoryTable
from andon.tools.contracts.need import Result, Run, run_of

STORED: Final = frozenset({EVENT, CORRELATED})
_GONE: Final = {"discriminator": {"S": UNREADABLE}}


class StoredEvents(NamedTuple):
    """The events of a type that lie in a table, as its rows and as they were on the wire."""

    topic: Topic
    rows: list[Typed]
    events: list[JsonObject]

    def changed(self, events: Iterable[JsonObject]) -> list[Typed]:
        """Return the rows with other events in them."""
        return [{**row, **to_typed({"event": event})} for row, event in zip(self.rows, events, strict=True)]


class StoredReader(NamedTuple):
    """A consumer of the events in a table: its name, and what it makes of the table as it stands."""

    consumer: str
    table: MemoryTable
    reads: Callable[[], object]

    def runs_on(self, stored: StoredEvents) -> Run:
        """Return its run on a table with other events of a type in it: a list of them stands for the event."""

        def read(events: list[JsonObject]) -> object:
            with replaced(self.table, stored.changed(events)):
                return self.reads()

        return run_of(read)

    def tells(self, stored: StoredEvents) -> bool:
        """Return True if it tells whether the events of a type are there."""
        usual = self._result()
        with replaced(self.table, [{**row, **_GONE} for row in stored.rows]):
            return self._result() != usual

    def _result(self) -> Result:
        return run_of(lambda _: self.reads())({})


def stored_in(table: MemoryTable) -> list[StoredEvents]:
    """Return the events that lie in a table, by their topics."""
    found: dict[Topic, list[Typed]] = {}
    for row in table.rows():
        if kind_of(row) in STORED:
            found.setdefault((row["source"]["S"], row["event"]["M"]["type"]["S"]), []).append(row)
    return [StoredEvents(topic, rows, [to_plain(row)["event"] for row in rows]) for topic, rows in found.items()]


@contextmanager
def replaced(table: MemoryTable, rows: Iterable[Typed]) -> Iterator[None]:
    """Put rows into a table in the place of those under their keys, past its stream, and those back afterwards."""
    before, names = table.partitions, table.keys.names
    new = {tuple(str(row[name]) for name in names): row for row in rows}
    table.partitions = {
        partition: {sort: new.get(tuple(str(row[name]) for name in names), row) for sort, row in some.items()}
        for partition, some in before.items()
    }
    try:
        yield
    finally:
        table.partitions = before
