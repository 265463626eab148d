"""An interview: while a story is told, consumers are asked for their needs of stored events; what they said is kept."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from andon.dynamodb.attribute_values import Typed, to_plain, to_typed
from andon.events import fault
from andon.events.change_data_capture import kind_of
from andon.events.domain_event import ENVELOPE
from andon.events.topic import Topic
from andon.rules.stored_event import CORRELATED, EVENT, UNREADABLE
from andon.runtime.json_types import JsonObject
from andon.stores.lake import queries
from andon.testing.memory.tables import MemoryTable
from andon.tools.contracts.members import ITEM, Member, Path, paths_in
from andon.tools.contracts.need import LostMember, Need, Probe, Result, Run, run_of, together
from andon.tools.contracts.state import TypeState

# Consumers of events that a service has stored: rules, senders and queries, run on a table with other events in it.

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


def _stored_in(table: MemoryTable) -> list[StoredEvents]:
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


class Interview:
    """Answers of consumers of stored events, and the events published meanwhile.

    events: of each type, on the wire. faults: consumer -> how many messages it gave up, and route -> how many requests
    failed. failures: story -> why it could not be told. asked: the consumers. runs: how often any of them was run.
    """

    def __init__(self, members_of: Callable[[Topic], Mapping[Path, Member]]) -> None:
        self._members_of = members_of
        self._said: dict[tuple[str, Topic], dict[frozenset[Path], Mapping[Path, Need]]] = {}
        self._is_asking = False
        self.events: list[tuple[Topic, JsonObject]] = []
        self.faults: Counter[str] = Counter()
        self.failures: dict[str, str] = {}
        self.asked = set[str]()
        self.runs = 0

    @property
    def needs(self) -> dict[str, dict[Topic, dict[Path, Need]]]:
        """The needs of each consumer."""
        found: dict[str, dict[Topic, dict[Path, Need]]] = {}
        for (consumer, topic), said in self._said.items():
            if needs := together(said.values()):
                found.setdefault(consumer, {})[topic] = needs
        return found

    def hear(self, published: Iterable[JsonObject]) -> None:
        """Keep what was published, by its envelopes."""
        for envelope in published:
            event: dict[str, Any] = envelope["detail"]
            if event["type"] == fault.TYPE:
                self.faults[event["fault"]["consumer"]] += 1
            self.events.append(((envelope["source"], event["type"]), event))

    def ask(self, reader: StoredReader) -> None:
        """Ask a consumer about each type of the events in its table, unless it is the one that is being asked.

        Events with the same members would get the same answer. A publisher that changes changes all of its events, so
        that all of a type are changed together.
        """
        if self._is_asking:
            return
        self._is_asking = True
        self.asked.add(reader.consumer)
        try:
            for stored in _stored_in(reader.table):
                said = self._said.setdefault((reader.consumer, stored.topic), {})
                shape = frozenset(path for event in stored.events for path in paths_in(event))
                if shape not in said and reader.tells(stored):
                    said[shape] = self._answer(reader, stored)
        finally:
            self._is_asking = False

    def _answer(self, reader: StoredReader, stored: StoredEvents) -> dict[Path, Need]:
        members = {(ITEM, *path): member for path, member in self._members_of(stored.topic).items()}
        probe = Probe(reader.runs_on(stored), stored.events, members, {})
        needs = probe.needs()
        self.runs += probe.runs
        return {path[1:]: need for path, need in needs.items()}


# Saved queries of the lake as consumers: by the paths of JSON members in their SQL. A member that is gone is null.

READ: Final = Need(LostMember.LOST, keeps=True)

_PATH: Final = re.compile(r"'\$\.([A-Za-z_][\w.\[\]*]*)'")
_COMMENT: Final = re.compile(r"^ *--.*$", re.MULTILINE)


class QueryAsked(NamedTuple):
    """A saved query, or a shared table: its name as a consumer, and the members that it reads."""

    name: str
    paths: frozenset[Path]


def questions() -> Iterator[QueryAsked]:
    """Yield each saved query and each shared table of the project and of the library."""
    texts = {f"query.{name}": (queries.FOLDER / f"{name}.sql").read_text() for name in queries.names()}
    texts |= {f"query.shared.{name}": queries.shared_sql(name) for name in queries.SHARED}
    for name, text in sorted(texts.items()):
        yield QueryAsked(name, paths_in_sql(text))


def paths_in_sql(text: str) -> frozenset[Path]:
    """Return the members of entities that an SQL text reads; those of the envelope are the same for all."""
    found = (tuple(path.replace("[*]", f".{ITEM}").split(".")) for path in _PATH.findall(_COMMENT.sub("", text)))
    return frozenset(path for path in found if path[0] not in ENVELOPE)


def needs_of(question: QueryAsked, types: Mapping[Topic, TypeState]) -> dict[Topic, dict[Path, Need]]:
    """Return the needs of a query: of each type that has such an entity."""
    found: dict[Topic, dict[Path, Need]] = {}
    for topic, one in types.items():
        read = {path for path in question.paths if path[0] == one.entity and path in one.members}
        if read:
            found[topic] = {(one.entity,): READ, **dict.fromkeys(sorted(read), READ)}
    return found


def unknown_to(question: QueryAsked, types: Mapping[Topic, TypeState]) -> list[Path]:
    """Return the members that a query reads, and nobody publishes."""
    known = {path for one in types.values() for path in one.members}
    return sorted(path for path in question.paths if path not in known)
