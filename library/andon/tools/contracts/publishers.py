"""The publishers: the types of their entities, and the events that their makers really make of samples."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from andon.events import drift, fault
from andon.events.actor import ACTOR, TTL
from andon.events.change_data_capture import StreamRecord, fact_in
from andon.events.domain_event import ENVELOPE
from andon.events.drift import DriftEntity, drift_of
from andon.events.fact import Change, Fact, Facts
from andon.events.fault import FaultEntity, fault_of
from andon.events.topic import ANY, Topic
from andon.packages.discovery import follower_of_table, services
from andon.packages.package import Package
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonObject
from andon.runtime.tried import Failed, tried
from andon.testing.samples import BEGINNING_MS, paths, read, type_of
from andon.versions.declared import Declared

# TypedDicts -> JSON Schema. Pure.

SCALARS: Final[Mapping[object, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "null",
}


class NoSchema(Exception):
    """A type of which JSON Schema can say nothing."""


def schema_of(kind: Any) -> JsonObject:  # noqa: ANN401  a type, of any kind
    """Return the schema of a type: of a TypedDict an object with its name as `title`, wherever it is used.

    An object may have more members than its schema says, as readers have to expect.

    Raises:
        NoSchema: JSON has no such values, or the type contains itself.

    """
    try:
        return _schema_of(kind)
    except RecursionError as error:
        raise NoSchema(f"{kind.__name__} contains itself") from error


def _schema_of(kind: Any) -> JsonObject:  # noqa: ANN401
    if kind in SCALARS:
        return {"type": SCALARS[kind]}
    if kind in {Any, object}:
        return {}
    return _object(kind) if is_typeddict(kind) else _of_parts(kind, get_origin(kind), get_args(kind))


def _of_parts(kind: object, origin: object, parts: tuple[Any, ...]) -> JsonObject:
    if origin is Literal:
        return {"enum": [*parts]}
    if origin in {NotRequired, Required, Annotated}:
        return _schema_of(parts[0])
    if origin in {Union, UnionType}:
        return {"anyOf": [*map(_schema_of, parts)]}
    if origin in {list, Sequence}:
        return {"type": "array", "items": _schema_of(parts[0])}
    if origin in {dict, Mapping} and parts[0] is str:
        return {"type": "object", "additionalProperties": _schema_of(parts[1])}
    raise NoSchema(f"{kind} is no type of JSON")


def _object(kind: Any) -> JsonObject:  # noqa: ANN401
    hints = get_type_hints(kind, include_extras=True)
    return {
        "title": kind.__name__,
        **({"description": " ".join(kind.__doc__.split())} if kind.__doc__ else {}),
        "type": "object",
        "properties": {name: _member(kind, name, hint) for name, hint in hints.items()},
        "required": [name for name in hints if name in kind.__required_keys__],
    }


def _member(kind: Any, name: str, hint: object) -> JsonObject:  # noqa: ANN401
    try:
        return _schema_of(hint)
    except NoSchema as error:
        raise NoSchema(f"{kind.__name__}.{name}: {error}") from error


_OF_LIBRARY: Final[Mapping[Topic, type]] = {(ANY, fault.TYPE): FaultEntity, (ANY, drift.TYPE): DriftEntity}
"""Facts about a message or a row: whoever meets it publishes them."""


class MadeFact(NamedTuple):
    """The event of a sample, on the wire, as its maker makes it today."""

    sample: str
    topic: Topic
    event: JsonObject


class Unmade(NamedTuple):
    """A sample of which its maker makes no event any more, and the reason."""

    sample: str
    source: str
    why: str


def schemas() -> tuple[dict[Topic, JsonObject], dict[Topic, str]]:
    """Return the schema of the entity of each type that is published, or the reason why it has none."""
    found, without = dict[Topic, JsonObject](), dict[Topic, str]()
    for topic, kind in _entities():
        if kind is None:
            without[topic] = f"entities= of FACTS in functions/services/{topic[0]}/facts.py does not say it"
            continue
        try:
            found[topic] = schema_of(kind)
        except NoSchema as error:
            without[topic] = str(error)
    return found, without


def _entities() -> Iterator[tuple[Topic, type | None]]:
    for facts in _facts():
        yield from (((facts.source, one), facts.entities.get(one)) for one in sorted(facts.types))
    yield from _OF_LIBRARY.items()


def _facts() -> list[Facts]:
    return [package.facts for package in services()]


def may_lack() -> dict[Topic, frozenset[str]]:
    """Return the members that rows of before may lack, of the types whose facts are those of a declared thing."""
    found = dict[Topic, frozenset[str]]()
    for facts in _facts():
        for meaning in facts.of.values():
            declared = getattr(meaning, "__self__", None)
            if isinstance(declared, Declared):
                found |= {(facts.source, type_): frozenset(declared.may_lack) for type_ in declared.types}
    return found


def made() -> tuple[list[MadeFact], list[Unmade]]:
    """Return the events that makers make of the samples of streams, and the samples of which they make none."""
    found, unmade = list[MadeFact](), list[Unmade]()
    for path in paths("stream"):
        record: StreamRecord = read(path)["Records"][0]
        package, _ = follower_of_table(record["eventSourceARN"].split("/")[1])
        event = _maker_of(package)(record)
        if isinstance(event, str):
            unmade.append(Unmade(path.stem, package.facts.source, event))
        else:
            found.append(MadeFact(path.stem, (package.facts.source, event["type"]), event))
    return [*found, *_of_library()], unmade


def _of_library() -> Iterator[MadeFact]:
    """Yield the samples of faults and drift, of which there is no stream; what a project has none of, as it is made."""
    kept = {path.stem: read(path) for path in paths("domain") if (ANY, type_of(path)) in _OF_LIBRARY}
    gone, now_ms = fault_of(Poison("no event"), "{}", consumer="things.listener", now_ms=BEGINNING_MS), BEGINNING_MS
    key, found, expected = {"id": "thing-1"}, {"place": "north"}, {"place": "south"}
    wrong = drift_of("things", key, kinds=["values"], found=found, expected=expected, repair="oplock", now_ms=now_ms)
    for event in (gone, wrong):
        kept.setdefault(event.type, {**event.to_wire()})
    yield from (MadeFact(name, (ANY, event["type"]), event) for name, event in sorted(kept.items()))


def _maker_of(package: Package) -> Callable[[StreamRecord], JsonObject | str]:
    """Return the maker of a service's events: record -> event on the wire, or why it makes none."""
    source = package.facts.source
    tags = {"stage": "local", "source": source, "functionname": f"{source}-trigger", "pipeline": f"{source}.trigger"}
    return partial(_event_of, facts=package.facts, tags=tags)


def _event_of(record: StreamRecord, *, facts: Facts, tags: Mapping[str, str]) -> JsonObject | str:
    event = tried(partial(fact_in, facts=facts, tags=tags), record)
    if isinstance(event, Failed):
        return f"{type(event.error).__name__}: {event.error}"
    return {**event.to_wire()} if event else "it is no fact any more"


def made_again(topic: Topic, event: JsonObject) -> JsonObject | None:
    """Return the fact of today's maker for the row of an event, empty if that is no such fact; None: there is no row.

    Nor is there one if the maker fails: the row may be of a shape that only its sample of today has.
    """
    raw = event.get("raw")
    facts = next((one for one in _facts() if one.source == topic[0]), None)
    if facts is None or not isinstance(raw, dict):
        return None
    kind: Literal["INSERT", "MODIFY", "REMOVE"] = (
        "REMOVE" if raw["new"] is None else "MODIFY" if raw["old"] else "INSERT"
    )
    change = Change(kind, raw["old"], raw["new"])
    is_expiry = event["tags"].get(ACTOR) == TTL
    fact = tried(facts.expiry_of, change.row) if is_expiry else tried(facts.fact_of, change)
    if isinstance(fact, Failed):
        return None
    return _wire(fact) if fact and fact.type == topic[1] else {}


def _wire(fact: Fact) -> JsonObject:
    return {
        "timestamp": fact.timestamp_ms,
        "partitionKey": fact.partition_key,
        "tags": {ACTOR: fact.actor},
        fact.entity_name: {**fact.entity},
    }


def entities_in(event: JsonObject) -> dict[str, object]:
    """Return the entities of an event."""
    return {name: value for name, value in event.items() if name not in ENVELOPE}
