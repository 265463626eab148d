"""Facts of a trace: their causes, and the tree that these make."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from andon.events import fault
from andon.events.bus_entry import Delivery, from_message
from andon.events.domain_event import DomainEvent
from andon.events.written import Written
from andon.project import NamedBy
from andon.rules.rule import TRIGGERS
from andon.runtime.strict_json import is_whole
from andon.runtime.tried import Failed, tried

# TracedFacts of the lake, each once, and which of them is meant. Pure.


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


# Causes of a fact, as the fact itself names them. Pure.
#
# | what it says                                                              | its cause      | how sure       |
# |---------------------------------------------------------------------------|----------------|----------------|
# | ids of events: the `triggers` of a decision, what a message `covers`      | each of them   | exact          |
# | a message that a consumer gave up, in a `fault`                           | its event      | exact          |
# | the fields by which facts name one that has no id yet: `Project.named_by` | the first fact | by its subject |

_COVERS: Final = "covers"  # of `andon.outbound.delivery.Delivery`

DEEPEST: Final = 4
"""Levels of an entity in which a name is looked for."""

Subject = tuple[str, tuple[str | int, ...]]
"""The name of an entity, and the values by which other facts name the fact that it is in."""


class Cause(NamedTuple):
    """An event that a fact names by its id; what else it says of it: its type, its time in epoch milliseconds."""

    id: str
    type: str = ""
    timestamp_ms: int | None = None


def causes_of(event: DomainEvent) -> list[Cause]:
    """Return the events that an event names by their ids, in the order of their times; those without a time first."""
    said = [event.new_row, *event.entities.values()]
    found = [cause for one in said if isinstance(one, dict) for cause in _named_in(one)]
    if event.type == fault.TYPE:
        found += _given_up(event)
    of_id = {cause.id: cause for cause in sorted(found, key=_order) if cause.id != event.id}
    return sorted(of_id.values(), key=_order)


def subjects_of(fact: TracedFact, named_by: NamedBy) -> list[Subject]:
    """Return the subjects of the entities of a fact."""
    entities = fact.event.entities
    found = ((name, _values(entities.get(name), fields)) for name, fields in named_by.items())
    return [(name, values) for name, values in found if values]


def subjects_in(fact: TracedFact, named_by: NamedBy) -> list[Subject]:
    """Return the subjects that a fact names anywhere in its entities, its own among them."""
    places = [*_objects_in([*fact.event.entities.values()], DEEPEST)]
    found = ((name, _values(place, fields)) for place in places for name, fields in named_by.items())
    return list(dict.fromkeys((name, values) for name, values in found if values))


def _named_in(said: dict[str, object]) -> Iterator[Cause]:
    triggers, covers = said.get(TRIGGERS), said.get(_COVERS)
    for one in triggers if isinstance(triggers, list) else ():
        if isinstance(one, dict) and isinstance(id_ := one.get("id"), str):
            event_type, timestamp = one.get("type"), one.get("timestamp")
            yield Cause(id_, str(event_type or ""), timestamp if is_whole(timestamp) else None)
    for id_ in covers if isinstance(covers, list) else ():
        if isinstance(id_, str):
            yield Cause(id_)


def _given_up(event: DomainEvent) -> Iterator[Cause]:
    message = event.entities.get(fault.TYPE, {}).get("message") if event.type == fault.TYPE else None
    delivery = tried(from_message, str(message))
    if not isinstance(delivery, Failed):
        yield Cause(delivery.event.id, delivery.event.type, delivery.event.timestamp_ms)


def _objects_in(values: list[object], levels: int) -> Iterator[dict[str, object]]:
    for value in values:
        if isinstance(value, dict):
            yield value
        inner = [*value.values()] if isinstance(value, dict) else value
        if levels and isinstance(inner, list):
            yield from _objects_in(inner, levels - 1)


def _values(said: object, fields: tuple[str, ...]) -> tuple[str | int, ...]:
    """Return the values of all fields, none if one is missing."""
    if not isinstance(said, dict):
        return ()
    values = tuple(value for name in fields if isinstance(value := said.get(name), str | int) and value != "")
    return values if len(values) == len(fields) else ()


def _order(cause: Cause) -> tuple[int, str]:
    return -1 if cause.timestamp_ms is None else cause.timestamp_ms, cause.id


# The tree of a trace: each fact below its cause, the same whichever of its facts is asked for. Pure.
#
# A fact that has several causes stands below the newest of those that the lake has, and names the others. Causes that
# the lake has not are named as missing; a fact of which all are missing stands below the newest of them.

Identity = tuple[str, str]
"""Source and id of a fact; of a missing one the source is not known."""

UNKNOWN: Final = ""


class Node(NamedTuple):
    """A fact, or a missing one, with all that followed from it.

    cause: what is known of a fact that is missing. by_subject: the fact names its cause by fields, not by its id.
    others: further causes. missing: those of them that the lake has not. in_circle: it names what followed from it.
    """

    fact: TracedFact | None
    children: tuple["Node", ...] = ()
    cause: Cause | None = None
    by_subject: bool = False
    others: tuple[Cause, ...] = ()
    missing: tuple[Cause, ...] = ()
    in_circle: bool = False

    @property
    def identity(self) -> Identity:
        """Source and id."""
        if self.fact is not None:
            return self.fact.source, self.fact.id
        return UNKNOWN, self.cause.id if self.cause else ""

    @property
    def size(self) -> int:
        """The number of facts, a missing one among them."""
        return 1 + sum(child.size for child in self.children)


class _Link(NamedTuple):
    """The place of a fact: below `parent`, which may be missing, or nowhere."""

    parent: Identity | None = None
    by_subject: bool = False
    causes: tuple[Cause, ...] = ()


class Forest:
    """The places of facts: each below its cause."""

    def __init__(self, facts: TracedFacts, named_by: NamedBy) -> None:
        self._facts, self._named_by = facts, named_by
        self._fact = {(fact.source, fact.id): fact for fact in facts}
        self._owners = self._owners_of_subjects()
        self._links = {identity: self._link_of(fact) for identity, fact in self._fact.items()}
        self._children: dict[Identity, list[Identity]] = defaultdict(list)
        self._missing: dict[Identity, Cause] = {}
        self._circles = self._cut_circles()
        for identity, link in self._links.items():
            if link.parent is not None:
                self._children[link.parent].append(identity)
                if link.parent not in self._fact:
                    self._missing[link.parent] = next(one for one in link.causes if one.id == link.parent[1])

    def root_of(self, identity: Identity) -> Identity:
        """Return the fact that all began with, which may be missing."""
        link = self._links.get(identity)
        while link is not None and link.parent is not None:
            identity = link.parent
            link = self._links.get(identity)
        return identity

    def tree(self, root: Identity) -> Node:
        """Return a fact with all that followed from it, in order."""
        link = self._links.get(root, _Link())
        children = sorted(self._children.get(root, ()), key=lambda one: self._fact[one].order)
        others = tuple(one for one in link.causes if link.parent is None or one.id != link.parent[1])
        return Node(
            self._fact.get(root),
            tuple(map(self.tree, children)),
            cause=self._missing.get(root),
            by_subject=link.by_subject,
            others=others,
            missing=tuple(one for one in others if self._facts.named(one.id, one.type) is None),
            in_circle=root in self._circles,
        )

    def _owners_of_subjects(self) -> Mapping[Subject, Identity]:
        owners: dict[Subject, Identity] = {}
        for identity, fact in sorted(self._fact.items(), key=lambda one: one[1].order):
            for subject in subjects_of(fact, self._named_by):
                owners.setdefault(subject, identity)
        return owners

    def _link_of(self, fact: TracedFact) -> _Link:
        causes = tuple(causes_of(fact.event))
        present = [found for one in causes if (found := self._facts.named(one.id, one.type)) is not None]
        if present:
            newest = max(present, key=lambda one: (one.event.timestamp_ms, one.source, one.id))
            return _Link((newest.source, newest.id), causes=causes)
        if causes:
            return _Link((UNKNOWN, causes[-1].id), causes=causes)
        owners = [self._owners.get(subject) for subject in subjects_in(fact, self._named_by)]
        named = [owner for owner in owners if owner is not None]
        if not named or (fact.source, fact.id) in named:
            return _Link()
        return _Link(max(named, key=lambda one: self._fact[one].order), by_subject=True)

    def _cut_circles(self) -> set[Identity]:
        """Let the first fact of each circle stand below nothing; return these facts."""
        begun, cut = set[Identity](), set[Identity]()
        for start in sorted(self._links):
            path: dict[Identity, None] = {}
            identity: Identity | None = start
            while identity in self._links and identity not in begun and identity not in path:
                path[identity] = None
                identity = self._links[identity].parent
            if identity in path:
                circle = [*path][[*path].index(identity) :]
                first = min(circle, key=lambda one: self._fact[one].order)
                self._links[first] = self._links[first]._replace(parent=None)
                cut.add(first)
            begun |= path.keys()
        return cut
