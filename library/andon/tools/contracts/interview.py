"""An interview: while a story is told, consumers are asked for their needs of stored events; what they said is kept."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from andon.events import fault
from andon.events.topic import Topic
from andon.runtime.json_types import JsonObject
from andon.tools.contracts.members import ITEM, Member, Path, paths_in
from andon.tools.contracts.need import Need, Probe, together
from andon.tools.contracts.stored import StoredEvents, StoredReader, stored_in


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
            for stored in stored_in(reader.table):
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
