"""The AsyncAPI document (3.1.0): a channel for each type, who sends it, and who receives which members. Pure."""

from collections.abc import Mapping
from typing import Final

from andon.events.topic import ANY, Topic
from andon.runtime.json_types import JsonObject
from andon.tools.contracts.event_schema import event_schema, summary_of
from andon.tools.contracts.members import text_of
from andon.tools.contracts.state import ContractState, TypeState
from andon.tools.contracts.verdict import readers_of

VERSION: Final = "3.1.0"
SCHEMAS: Final = "#/components/schemas"

DESCRIPTION: Final = """\
Facts on the bus, Amazon EventBridge. `source` of its envelope is the service, `detail-type` the type. `detail` is an
event, or a group of events of one type. An event comes twice, late and in any order. It may have members that are said
nowhere here: leave them alone."""

GROUP: Final = 1
"""The version of groups: `{"group": 1, "facts": [<event>, …]}`."""

MOST_FACTS: Final = 1_000
"""Events of a group, at the most."""


def document(state: ContractState, *, title: str, publishers: Mapping[Topic, list[str]]) -> JsonObject:
    """Return the document. title: of the project. publishers: type -> the packages that publish it."""
    definitions: dict[str, JsonObject] = {}
    schemas = {topic[1]: event_schema(topic, one, definitions, SCHEMAS) for topic, one in _types(state)}
    return {
        "asyncapi": VERSION,
        "info": {"title": title, "version": "1.0.0", "description": DESCRIPTION},
        "defaultContentType": "application/json",
        "channels": {topic[1]: _channel(topic) for topic, _ in _types(state)},
        "operations": {**_sends(state, publishers), **_receives(state)},
        "components": {
            "messages": {topic[1]: _message(topic, one) for topic, one in _types(state)},
            "schemas": {**schemas, **dict(sorted(definitions.items()))},
        },
    }


def _types(state: ContractState) -> list[tuple[Topic, TypeState]]:
    return sorted(state.types.items(), key=lambda item: item[0])


def _channel(topic: Topic) -> JsonObject:
    source, event_type = topic
    by = "Any service and any view publishes it." if source == ANY else f"{source} publishes it."
    message = {event_type: {"$ref": f"#/components/messages/{event_type}"}}
    return {"address": event_type, "description": by, "messages": message}


def _message(topic: Topic, one: TypeState) -> JsonObject:
    event = {"$ref": f"{SCHEMAS}/{topic[1]}"}
    group = {
        "description": "Several events of the type, in the order in which they were published.",
        "type": "object",
        "properties": {
            "group": {"const": GROUP},
            "facts": {"type": "array", "items": event, "minItems": 1, "maxItems": MOST_FACTS},
        },
        "required": ["group", "facts"],
    }
    source = {} if topic[0] == ANY else {"const": topic[0]}
    return {
        "name": topic[1],
        "summary": summary_of(one),
        "headers": {
            "type": "object",
            "properties": {"source": {"type": "string", **source}, "detail-type": {"const": topic[1]}},
            "required": ["source", "detail-type"],
        },
        "payload": {"anyOf": [event, group]},
        "examples": [{"name": name, "payload": without_row(made)} for name, made in sorted(one.events.items())],
        "x-version": one.version,
    }


def without_row(event: JsonObject) -> JsonObject:
    """Return an event without the images of its row."""
    return {name: value for name, value in event.items() if name != "raw"}


def _sends(state: ContractState, publishers: Mapping[Topic, list[str]]) -> JsonObject:
    return {
        f"{who}.sends.{topic[1]}": _operation("send", topic, f"{who} publishes it.")
        for topic, _ in _types(state)
        for who in publishers[topic]
    }


def _receives(state: ContractState) -> JsonObject:
    return {
        f"{who}.receives.{topic[1]}": {
            **_operation("receive", topic, f"{who} reads it."),
            "x-reads": {text_of(path): str(need.gone) for path, need in sorted(needs.items()) if need.is_any},
        }
        for topic, _ in _types(state)
        for who, needs in sorted(readers_of(topic, state))
    }


def _operation(action: str, topic: Topic, summary: str) -> JsonObject:
    channel = f"#/channels/{topic[1]}"
    return {
        "action": action,
        "channel": {"$ref": channel},
        "summary": summary,
        "messages": [{"$ref": f"{channel}/messages/{topic[1]}"}],
    }
