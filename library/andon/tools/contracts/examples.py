"""Examples for members that an event has not, though its type may say them: as other events say them. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from andon.events.topic import Topic
from andon.runtime.json_types import JsonObject
from andon.tools.contracts.members import ITEM, Member, Path, alternatives_of, changed, values_at, with_member
from andon.tools.contracts.publishers import MadeFact
from andon.tools.contracts.state import TypeState

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
