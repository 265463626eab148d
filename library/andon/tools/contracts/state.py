"""The state of a project's contracts: what is published, and who needs what of it; and as JSON, to be kept."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from andon.events.topic import Topic
from andon.runtime.json_types import JsonObject
from andon.tools.contracts.members import Member, Path, members_of, path_in, text_of
from andon.tools.contracts.need import LostMember, Need, Needs

_OF_ENVELOPE: Final[Mapping[Path, Member]] = {
    ("partitionKey",): Member({"type": "string"}, is_optional=False),
    ("timestamp",): Member({"type": "integer"}, is_optional=False),
    ("tags", "actor"): Member({"type": "string"}, is_optional=True),
}

_NAME: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[^,"]*[^,"\s]')  # a listed value is JSON, with whatever in it


class TypeState(NamedTuple):
    """A type that is published. version: of its schema, which is that of its entity.

    events: sample -> the event that is made of it, on the wire. live: the members that commands and rules make in
    stories. older: version before -> events of then, which are read for ever.
    """

    version: int
    entity: str
    schema: JsonObject
    events: Mapping[str, JsonObject]
    live: frozenset[Path]
    older: Mapping[str, Mapping[str, JsonObject]] = {}

    @property
    def members(self) -> dict[Path, Member]:
        """The members of its entity, by their paths in an event."""
        return members_of({"properties": {self.entity: self.schema}, "required": [self.entity]})

    @property
    def all_members(self) -> dict[Path, Member]:
        """The members that consumers are asked about: also those of the envelope that some read and some do not."""
        return {**self.members, **_OF_ENVELOPE}


class ContractState(NamedTuple):
    """The contracts of a project. consumers: name -> topic -> needs. faults: consumers that gave something up."""

    types: Mapping[Topic, TypeState]
    consumers: Mapping[str, Mapping[Topic, Needs]]
    faults: frozenset[str] = frozenset()


NONE = ContractState({}, {})


def topic_text(topic: Topic) -> str:
    """Return a topic as it is written: `things/thing-moved`."""
    return "/".join(topic)


def topic_in(text: str) -> Topic:
    """Return the topic that is written so."""
    source, _, event_type = text.partition("/")
    return source, event_type


def to_json(state: ContractState) -> str:
    """Return a state as JSON, the same for the same state."""
    types = {topic_text(topic): _type_to_json(state.types[topic]) for topic in sorted(state.types)}
    consumers = {
        name: {topic_text(topic): _needs_to_json(of[topic]) for topic in sorted(of)}
        for name, of in sorted(state.consumers.items())
    }
    whole = {"types": types, "consumers": consumers, "faults": sorted(state.faults)}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def from_json(text: str) -> ContractState:
    """Read a state."""
    whole: JsonObject = json.loads(text)
    return ContractState(
        {topic_in(topic): _type_in(one) for topic, one in whole["types"].items()},
        {
            name: {topic_in(topic): _needs_in(needs) for topic, needs in of.items()}
            for name, of in whole["consumers"].items()
        },
        frozenset(whole["faults"]),
    )


def _type_to_json(one: TypeState) -> JsonObject:
    return {**one._asdict(), "live": sorted(map(text_of, one.live))}


def _type_in(said: JsonObject) -> TypeState:
    return TypeState(**{**said, "live": frozenset(map(path_in, said["live"]))})


def _needs_to_json(needs: Needs) -> JsonObject:
    return {text_of(path): _need_to_json(need) for path, need in sorted(needs.items())}


def _needs_in(said: JsonObject) -> dict[Path, Need]:
    return {path_in(text): _need_in(one) for text, one in said.items()}


def _need_to_json(need: Need) -> str:
    """Return a need as one short text: `required, keeps; not null, a number`."""
    kept = ", keeps" if need.keeps else ""
    return f"{need.gone}{kept}" + (f"; not {', '.join(sorted(need.refuses))}" if need.refuses else "")


def _need_in(text: str) -> Need:
    said, _, refused = text.partition("; not ")
    gone, _, kept = said.partition(", ")
    return Need(LostMember(gone), kept == "keeps", frozenset(one.strip() for one in _NAME.findall(refused)))


def same(one: Any, other: Any) -> bool:  # noqa: ANN401  any JSON
    """Return True if two values are the same JSON; 1, 1.0 and true are not."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
