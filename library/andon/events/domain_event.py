"""The domain event: the message between services, in the wire format that `aws-lambda-stream` documents."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, NotRequired, TypedDict, cast

from andon.runtime import strict_json, times
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.strict_json import is_whole

ENVELOPE = frozenset({"id", "type", "timestamp", "partitionKey", "tags", "raw"})

# The order of events (see inverse_oplock) is text of 13 digits, which end in the year 2286. Below that, 400 days are
# left to what derives from an event's time: its ttl, when something is due, the fact that it expired.
MAX_TIMESTAMP_MS = 10**13 - 1 - 400 * 86_400_000

# Ids and partition keys become parts of keys and attributes.
MAX_NAME_CHARACTERS = 256

UNTOLD: Final = "\0"
"""Any text that nobody told, see `written.py`. No name is equal to it, for names are printable."""


class WireEvent(TypedDict):
    """A domain event as JSON, `timestamp` in epoch milliseconds; beside these members stand its entities, by name.

    tags: where it comes from, and as `actor` who did it, see `andon.events.actor`.
    """

    id: str
    type: str
    timestamp: int
    partitionKey: str
    tags: dict[str, str]
    raw: NotRequired[JsonMapping]


class Entity(NamedTuple):
    """An entity of an event, read tolerantly: unknown fields do not matter, needed ones must be there."""

    name: str
    fields: JsonMapping

    def text(self, field_name: str) -> str:
        """Return a field that must be there.

        Raises:
            Poison: it is missing, empty or not text.

        """
        value = self.fields.get(field_name)
        if not isinstance(value, str) or not value:
            raise Poison(f"{self.name}.{field_name} must be text")
        return value

    def optional_text(self, field_name: str) -> str | None:
        """Return a field that may be missing or null; any other type comes as JSON, so that nothing is lost."""
        value = self.fields.get(field_name)
        return value if value is None or isinstance(value, str) else strict_json.dumps(value)

    def seconds(self, field_name: str) -> int:
        """Return a time that must be there, in epoch seconds, as `expires_at` of an update takes it.

        Raises:
            Poison: it is missing or no time.

        """
        try:
            return times.to_ms(self.text(field_name)) // 1000
        except ValueError as error:
            raise Poison(f"{self.name}.{field_name} must be a time") from error

    def whole_number(self, field_name: str) -> int:
        """Return a field that must be there.

        Raises:
            Poison: it is missing or no whole number.

        """
        value = self.fields.get(field_name)
        if not is_whole(value):
            raise Poison(f"{self.name}.{field_name} must be a whole number")
        return value

    def number(self, field_name: str) -> float:
        """Return a field that must be there.

        Raises:
            Poison: it is missing or no number.

        """
        value = self.fields.get(field_name)
        if isinstance(value, bool) or not isinstance(value, int | float):  # a bool is an int, too
            raise Poison(f"{self.name}.{field_name} must be a number")
        return value

    def get(self, field_name: str) -> Any:  # noqa: ANN401  fields are any JSON
        """Return a field as it is, None if it is missing."""
        return self.fields.get(field_name)


class DomainEvent(NamedTuple):
    """A fact, in the past tense, under a deterministic `id`."""

    id: str
    type: str
    timestamp_ms: int
    partition_key: str
    entities: JsonMapping
    tags: Mapping[str, str] = {}
    raw: JsonMapping | None = None

    @property
    def new_row(self) -> JsonObject | None:
        """The row that it was published of, as the change left it; None: of none, or of one that is gone."""
        row = self.raw.get("new") if isinstance(self.raw, dict) else None
        return row if isinstance(row, dict) else None

    def entity(self, name: str) -> Entity:
        """Return the entity called `name`.

        Raises:
            Poison: there is none.

        """
        fields = self.entities.get(name)
        if not isinstance(fields, dict):
            raise Poison(f"{self.type} has no {name}")
        return Entity(name, fields)

    def without_raw(self) -> "DomainEvent":
        """Return the event as stores keep it, without the images of the row that it was published of."""
        return self if self[-1] is None else DomainEvent(*self[:-1])

    def to_wire(self) -> WireEvent:
        """Return the event as JSON."""
        wire: JsonObject = {
            "id": self.id,
            "type": self.type,
            "timestamp": self.timestamp_ms,
            "partitionKey": self.partition_key,
            "tags": dict(self.tags),
            **self.entities,
        }
        if self.raw is not None:
            wire["raw"] = self.raw
        return cast("WireEvent", wire)  # the names of entities are the services', so that no type can list them

    @classmethod
    def from_wire(cls, wire: object) -> "DomainEvent":
        """Read an event tolerantly: unknown members are entities, missing tags are none.

        Raises:
            Poison: `id`, `type` or `timestamp` is missing or mistyped, or a name is too long or not printable.

        """
        if not isinstance(wire, dict):
            raise Poison("a domain event is an object")
        get = wire.get
        tags = get("tags")
        return cls(
            _text(get("id"), "id"),
            _text(get("type"), "type"),
            _timestamp_ms(get("timestamp")),
            _name(str(get("partitionKey", "")), "partitionKey"),
            {name: value for name, value in wire.items() if name not in ENVELOPE},
            tags if isinstance(tags, dict) else {},
            get("raw"),
        )


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or not value:
        raise Poison(f"{name} must be text")
    return _name(value, name)


def _name(text: str, name: str) -> str:
    if len(text) > MAX_NAME_CHARACTERS or not text.isprintable():
        raise Poison(f"{name} must be at most {MAX_NAME_CHARACTERS} printable characters")
    return text


def _timestamp_ms(value: object) -> int:
    if not is_whole(value) or not 0 <= value <= MAX_TIMESTAMP_MS:
        raise Poison("timestamp must be epoch milliseconds")
    return value
