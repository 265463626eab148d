"""The contracts of today: publishers and consumers of a project, run on samples and stories in this process."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from andon.events.topic import ANY, Topic
from andon.runtime.json_types import JsonObject
from andon.tools.contracts import publishers, stories
from andon.tools.contracts.consumers import Consumer, consumers
from andon.tools.contracts.interview import Interview, needs_of, questions
from andon.tools.contracts.members import ITEM, Member, Path, alternatives_of, changed, paths_in, values_at, with_member
from andon.tools.contracts.need import LostMember, Need, Probe, run_of, together
from andon.tools.contracts.publishers import MadeFact, Unmade, entities_in
from andon.tools.contracts.state import ContractState, TypeState

# Examples for members that an event has not, though its type may say them: as other events say them. Pure.

WHOLE: Final = ""
"""The name under which an example of a whole object is kept."""

_SCALARS: Final[Mapping[str, Any]] = {"string": "text", "integer": 1, "number": 1.5, "boolean": True, "null": None}


class Examples:
    """Examples by the name of a TypedDict and of its member, wherever some event has it."""

    def __init__(self, types: Mapping[Topic, TypeState], events: Iterable[MadeFact]) -> None:
        self._types = types
        self._known: dict[tuple[str, str], Any] = {}
        for one in events:
            if of := types.get(one.topic):
                self._learn(of.schema, one.event.get(of.entity))

    def filled(self, topic: Topic, event: JsonObject) -> Iterator[tuple[JsonObject, dict[Path, Any]]]:
        """Yield an event with examples of the simple members that it has not; then one for each object or list more."""
        members = self._types[topic].members
        lacking = {path: self._example(path, members) for path in members if _is_lacking(event, path)}
        whole = {
            path: example for path, example in lacking.items() if isinstance(example, dict | list) or path[-1] == ITEM
        }
        yield event, {path: example for path, example in lacking.items() if path not in whole}
        for path, example in whole.items():
            yield _with_example(event, path, example), {}

    def unknown_of(self, topic: Topic) -> list[Path]:
        """Return the members of a type that no event has, of this type or of another one with the same TypedDict."""
        members = self._types[topic].members
        unknown = [path for path in members if len(path) > 1 and path[-1] != ITEM and not self._is_known(path, members)]
        return [path for path in unknown if path[:-1] not in unknown]

    def _is_known(self, path: Path, members: Mapping[Path, Member]) -> bool:
        owners = alternatives_of(members[path[:-1]].schema)
        return any((one.get("title", ""), path[-1]) in self._known for one in owners if "properties" in one) or not any(
            "properties" in one for one in owners
        )

    def _learn(self, schema: JsonObject, value: Any) -> None:  # noqa: ANN401  any JSON
        for one in alternatives_of(schema):
            if isinstance(value, list) and "items" in one:
                for item in value:
                    self._learn(one["items"], item)
            elif isinstance(value, dict) and "title" in one and {*one["required"]} <= value.keys():
                self._known.setdefault((one["title"], WHOLE), value)
                for name in one["properties"].keys() & value.keys():
                    self._known.setdefault((one["title"], name), value[name])
                    self._learn(one["properties"][name], value[name])

    def _example(self, path: Path, members: Mapping[Path, Member]) -> Any:  # noqa: ANN401
        for owner in alternatives_of(members[path[:-1]].schema):
            if (said := (owner.get("title", ""), path[-1])) in self._known:
                return self._known[said]
        return self._made_of(members[path].schema)

    def _made_of(self, schema: JsonObject) -> Any:  # noqa: ANN401
        one = alternatives_of(schema)[0]
        if "enum" in one:
            return one["enum"][0]
        if "properties" in one:
            known = self._known.get((one["title"], WHOLE))
            return known or {name: self._made_of(one["properties"][name]) for name in one["required"]}
        if one.get("type") == "array":
            return [self._made_of(one["items"])]
        return _SCALARS.get(one.get("type", "string"), {})


def _with_example(event: JsonObject, path: Path, example: object) -> JsonObject:
    """Return an event with an example at a path: a member, or the only item of a list that is empty."""
    if path[-1] != ITEM:
        return with_member(event, path, example)
    filled: JsonObject = changed(event, path[:-1], lambda items: items or [example])
    return filled


def _is_lacking(event: JsonObject, path: Path) -> bool:
    """Return True if an event has not what is at a path, but what that is in."""
    return not values_at(event, path) and bool(values_at(event, path[:-1])) and len(path) > 1


RAW: Final = "raw"
_DEPTH_OF_RAW: Final = 3
"""`raw`, its images, and their attributes."""

Needs = dict[Topic, dict[Path, Need]]


class Observed(NamedTuple):
    """The state of today, and what it was made of.

    live: the events of stories. declared: all types that somebody publishes. without_schema: type -> why it has none.
    asked: the consumers of stored events that were there to be asked. unseen: the members of types that no event has.
    failures: stories that could not be told, and why. runs: how often consumers were run.
    """

    state: ContractState
    made: list[MadeFact]
    unmade: list[Unmade]
    live: list[MadeFact]
    declared: frozenset[Topic]
    without_schema: Mapping[Topic, str]
    consumers: list[Consumer]
    asked: frozenset[str]
    unseen: Mapping[Topic, list[Path]]
    failures: Mapping[str, str]
    runs: int


def observed() -> Observed:
    """Run publishers and consumers; return what they publish and need."""
    schemas, without_schema = publishers.schemas()
    made, unmade = publishers.made()
    types = _types(schemas, made)
    interview = Interview(lambda topic: types[topic].all_members if topic in types else {})
    stories.told(interview)
    live = [MadeFact("", topic, event) for topic, event in _each_shape_once(interview.events)]
    types = {topic: one._replace(live=_shown_by(topic, live)) for topic, one in types.items()}
    asking, found = AskedConsumer(types, [*made, *live]), [*consumers()]
    needs = {consumer.name: asking.needs_of(consumer) for consumer in found} | interview.needs
    needs |= {one.name: needs_of(one, types) for one in questions()}
    state = ContractState(types, {name: of for name, of in needs.items() if of}, frozenset(interview.faults))
    return Observed(
        state,
        made,
        unmade,
        live,
        frozenset({*schemas, *without_schema}),
        without_schema,
        found,
        asked=frozenset(interview.asked),
        unseen={topic: paths for topic in types if (paths := asking.examples.unknown_of(topic))},
        failures=interview.failures,
        runs=asking.runs + interview.runs,
    )


def _types(schemas: Mapping[Topic, JsonObject], made: list[MadeFact]) -> dict[Topic, TypeState]:
    found: dict[Topic, TypeState] = {}
    for topic, schema in schemas.items():
        events = {one.sample: one.event for one in made if one.topic == topic}
        entity = next((name for event in events.values() for name in entities_in(event)), "")
        if entity:
            found[topic] = TypeState(1, entity, schema, events, frozenset())
    return found


def _each_shape_once(events: list[tuple[Topic, JsonObject]]) -> Iterator[tuple[Topic, JsonObject]]:
    seen = set[tuple[Topic, frozenset[Path]]]()
    for topic, event in events:
        shape = topic, frozenset(paths_in({**event, "raw": None}))
        if shape not in seen:
            seen.add(shape)
            yield topic, event


def _shown_by(topic: Topic, live: list[MadeFact]) -> frozenset[Path]:
    return frozenset(path for one in live if one.topic == topic for path in paths_in(entities_in(one.event)))


def is_of(topic: Topic, of: Topic) -> bool:
    """Return True if an event of a topic is one of a type that is published, maybe by anybody."""
    return topic == of or (of[0] == ANY and topic[1] == of[1])


class AskedConsumer:
    """Asks consumers of single events; `examples`: for what those lack; `runs`: how often they were run."""

    def __init__(self, types: Mapping[Topic, TypeState], events: list[MadeFact]) -> None:
        self._types, self._events, self.runs = types, events, 0
        self.examples = Examples(types, events)

    def needs_of(self, consumer: Consumer) -> Needs:
        """Return the needs of a consumer."""
        found: Needs = {}
        for topic, one in self._types.items():
            reads = consumer.reads_of(topic)
            if reads is not None and (needs := self._needs(reads, topic, one)):
                found[topic] = needs
        return found

    def _needs(self, reads: Any, topic: Topic, one: TypeState) -> dict[Path, Need]:  # noqa: ANN401
        said = list[Mapping[Path, Need]]()
        for event in one.events.values():
            for probed, examples in self.examples.filled(topic, event):
                probe = Probe(run_of(reads), probed, _members_in(one, probed), examples)
                said.append(probe.needs())
                self.runs += probe.runs
        return {path: need for path, need in together(said).items() if not _is_of_whole(path, need)}


def _is_of_whole(path: Path, need: Need) -> bool:
    """Return True if an attribute of a row is kept with the whole of it, and nothing more is to be said of it."""
    return path[0] == RAW and len(path) == _DEPTH_OF_RAW and need == Need(LostMember.LOST, keeps=True)


def _members_in(one: TypeState, event: JsonObject) -> dict[Path, Member]:
    """Return the members that a consumer is asked about: those of the type, and of the images of the row."""
    of_rows = paths_in({RAW: event.get(RAW)})
    raw = {path: Member({}, is_optional=True) for path in of_rows if len(path) <= _DEPTH_OF_RAW}
    return {**one.all_members, **raw}
