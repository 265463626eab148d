"""The schema of an event on the wire, of its type's entity: with its TypedDicts as definitions. Pure."""

from typing import Any, Final

from andon.events.topic import Topic
from andon.runtime.json_types import JsonObject
from andon.tools.contracts.members import alternatives_of
from andon.tools.contracts.state import TypeState

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

RAW: Final[JsonObject] = {
    "description": "The row before and after, as its service keeps it: its own, and no contract with anybody else.",
    "type": "object",
    "properties": {"new": {"type": ["object", "null"]}, "old": {"type": ["object", "null"]}},
    "required": ["new", "old"],
}
TAGS: Final[JsonObject] = {
    "description": "Where it comes from; `actor`: who did it.",
    "type": "object",
    "properties": {"source": {"type": "string"}, "actor": {"type": "string"}},
    "required": ["source", "actor"],
    "additionalProperties": {"type": "string"},
}


def event_schema(topic: Topic, one: TypeState, definitions: dict[str, JsonObject], at: str) -> JsonObject:
    """Return the schema of the events of a type; its TypedDicts go to `definitions`, and are named by `at` and a name.

    An event may have more members: who reads it has to leave alone what it does not know.
    """
    return {
        "title": topic[1],
        "description": summary_of(one),
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "The same, however often the event comes."},
            "type": {"const": topic[1]},
            "timestamp": {"type": "integer", "description": "Epoch milliseconds."},
            "partitionKey": {"type": "string"},
            "tags": TAGS,
            one.entity: defined(one.schema, definitions, at),
            "raw": RAW,
        },
        "required": ["id", "type", "timestamp", "partitionKey", "tags", one.entity],
    }


def summary_of(one: TypeState) -> str:
    """Return what the docstring of its entity says of a type."""
    return next((said["description"] for said in alternatives_of(one.schema) if "description" in said), one.entity)


def json_schema(topic: Topic, one: TypeState) -> JsonObject:
    """Return the schema as a document of its own."""
    definitions: dict[str, JsonObject] = {}
    schema = event_schema(topic, one, definitions, "#/$defs")
    return {"$schema": _DIALECT, "$id": file_of(topic[1], one.version), **schema, "$defs": definitions}


def file_of(event_type: str, version: int) -> str:
    """Return the name of the file of a version of a type."""
    return f"{event_type}.v{version}.json"


def defined(schema: Any, definitions: dict[str, JsonObject], at: str) -> Any:  # noqa: ANN401  any JSON
    """Return a schema in which each object with a title is a reference to its definition.

    Raises:
        ValueError: two TypedDicts that differ have one name.

    """
    if isinstance(schema, list):
        return [defined(one, definitions, at) for one in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {name: defined(one, definitions, at) for name, one in schema.items()}
    if "title" not in schema or "properties" not in schema:
        return plain
    if definitions.setdefault(schema["title"], plain) != plain:
        raise ValueError(f"two TypedDicts are called {schema['title']}: one of them needs another name")
    return {"$ref": f"{at}/{schema['title']}"}
