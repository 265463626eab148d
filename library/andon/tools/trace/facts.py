"""TracedFacts of the lake, each once, and which of them is meant. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from andon.events.bus_entry import Delivery, from_message
from andon.events.domain_event import DomainEvent
from andon.events.written import Written
from andon.runtime.tried import Failed, tried

Key = Mapping[str, str | int]
"""Fields of an entity, by name."""


class TracedFact(NamedTuple):
    """A fact as the lake has it. times: how often it came to the bus; taken_ms: when the bus took it first."""

    source: str
    event: DomainEvent
    taken_ms: int
    times: int = 1

    @property
    def id(self) -> str:
        """The id of its event."""
        return self.event.id

    @property
    def order(self) -> tuple[int, int, str, str]:
        """Its place among facts: by the bus, then by its own time."""
        return self.taken_ms, self.event.timestamp_ms, self.source, self.id


class TracedFacts:
    """TracedFacts by their ids. unreadable: how many lines are none.

    Two services may publish one id; whoever names an id means the fact of the type that stands beside it.
    """

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self._facts: dict[tuple[str, str], TracedFact] = {}
        self._of_id: dict[str, list[tuple[str, str]]] = {}
        self.unreadable = 0
        for line in lines:
            self.add(line)

    def __iter__(self) -> Iterator[TracedFact]:
        """Return the facts in their order."""
        return iter(sorted(self._facts.values(), key=lambda fact: fact.order))

    def __len__(self) -> int:
        return len(self._facts)

    def add(self, line: str) -> None:
        """Add a line of the lake; a fact that came twice is there once, as it came first."""
        delivery = tried(from_message, line)
        if isinstance(delivery, Failed):
            self.unreadable += 1
            return
        fact = _fact_of(delivery)
        identity = fact.source, fact.id
        before = self._facts.get(identity)
        if before is None:
            self._of_id.setdefault(fact.id, []).append(identity)
            self._facts[identity] = fact
        else:
            self._facts[identity] = min(before, fact, key=lambda one: one.order)._replace(times=before.times + 1)

    def named(self, id_: str, event_type: str = "") -> TracedFact | None:
        """Return the fact of an id, of the type if several have it; None if the lake has none."""
        found = [self._facts[identity] for identity in sorted(self._of_id.get(id_, ()))]
        of_type = [fact for fact in found if event_type in {"", fact.event.type}]
        return of_type[0] if of_type else None

    def written(self, written: Written) -> TracedFact | None:
        """Return the fact of a write, as its token names it."""
        if written.event_id:
            return self.named(written.event_id, written.type)
        return next((fact for fact in self if _is_of(fact, written)), None)

    def of_entity(self, name: str, key: Key) -> TracedFact | None:
        """Return the first fact whose entity of that name has these fields."""
        return next((fact for fact in self if _has(fact.event.entities.get(name), key)), None)


def _fact_of(delivery: Delivery) -> TracedFact:
    return TracedFact(delivery.source, delivery.event, delivery.taken_ms)


def _is_of(fact: TracedFact, written: Written) -> bool:
    event = fact.event
    about = (fact.source, event.type, event.partition_key, event.timestamp_ms)
    if about != (written.source, written.type, written.partition_key, written.timestamp_ms):
        return False
    return _has(event.entities.get(written.entity_name), written.names)


def _has(entity: object, key: Key) -> bool:
    return isinstance(entity, dict) and all(entity.get(name) == value for name, value in key.items())
