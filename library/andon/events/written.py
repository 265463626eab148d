"""A command's write as a token, by which a view tells if a row includes the event of that write.

It names the event of the write and some fields of its entity, and no position in a log: the view asks its own `ON`
where it keeps such an event, and compares the row's own oplock. What the writer does not know is the id of an event
that a stream will carry; a view decides without, see `views.seen`.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any, Final, Self

from andon.events.domain_event import MAX_NAME_CHARACTERS, MAX_TIMESTAMP_MS, UNTOLD, DomainEvent, Entity
from andon.events.fact import Change, Fact, Meaning
from andon.runtime import strict_json
from andon.runtime.strict_json import is_whole

VERSION: Final = 2
_MAX_TOKEN_CHARACTERS: Final = 4096
MALFORMED: Final = "is not a token of a write"
TELLS_TOO_LITTLE: Final = (
    f"{MALFORMED} that is found here: the token has to name all that the row's key, oplock and date are made of"
)

_NAN: Final[Any] = nan

Names = Mapping[str, str | int]
"""Fields of an entity that tell it from all others, and what it says in few characters."""

NamesOf = Mapping[str, tuple[str, ...]]
"""Name of an entity -> the fields that are its `Names`."""


class ToldEntity(Entity):
    """An entity as far as a token names it: it counts as deleted, for a deletion needs no more than the key."""

    __slots__ = ()

    def text(self, field_name: str) -> str:
        """Return a field; `UNTOLD`, if the token does not name it."""
        return super().text(field_name) if field_name in self.fields else UNTOLD

    def seconds(self, field_name: str) -> int:
        """Return a time; 0, if the token does not name it: nobody asks of a write until when its row is shown."""
        return super().seconds(field_name) if field_name in self.fields else 0

    def whole_number(self, field_name: str) -> int:
        """Return a field; NaN, if the token does not name it, and so is all that is computed of it."""
        return super().whole_number(field_name) if field_name in self.fields else _NAN

    def number(self, field_name: str) -> float:
        """Return a field; NaN, if the token does not name it."""
        return super().number(field_name) if field_name in self.fields else _NAN

    def optional_text(self, field_name: str) -> str | None:
        """Return a field; `UNTOLD`, if the token does not name it."""
        return super().optional_text(field_name) if field_name in self.fields else UNTOLD

    def get(self, field_name: str) -> Any:  # noqa: ANN401  as in `Entity`
        """Return a field; `UNTOLD`, if the token does not name it."""
        return self.fields.get(field_name, True if field_name == "deleted" else UNTOLD)


class ToldEvent(DomainEvent):
    """An event as far as a token names it."""

    __slots__ = ()

    def entity(self, name: str) -> Entity:
        """Return the entity called `name`.

        Raises:
            Poison: the token is of another one.

        """
        return ToldEntity(*super().entity(name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A write: its entity, and its event; `event_id` is empty unless the writer knows it."""

    source: str
    type: str
    entity_name: str
    partition_key: str
    timestamp_ms: int
    names: Names = field(default_factory=dict)
    event_id: str = ""

    @classmethod
    def of_fact(cls, fact: Fact, names: tuple[str, ...], *, source: str) -> Self:
        """Return a write by the fact that the stream will carry; `names`: see `Names`."""
        return cls(
            source=source,
            type=fact.type,
            entity_name=fact.entity_name,
            partition_key=fact.partition_key,
            timestamp_ms=fact.timestamp_ms,
            names={name: fact.entity[name] for name in names},
        )

    @classmethod
    def of_row(cls, row: Any, meaning: Meaning, names: NamesOf, *, source: str) -> Self:  # noqa: ANN401  typed by its package
        """Return the write of a row that a command saved, by the fact of its insertion.

        Raises:
            ValueError: it publishes nothing of it.

        """
        fact = meaning(Change(kind="INSERT", old=None, new=row))
        if fact is None:
            raise ValueError("nothing is published of this row")
        return cls.of_fact(fact, names[fact.entity_name], source=source)

    @classmethod
    def of_event(cls, event: DomainEvent, entity_name: str, names: tuple[str, ...]) -> Self:
        """Return a write that went to the bus itself."""
        entity = event.entities[entity_name]
        return cls(
            source=event.tags["source"],
            type=event.type,
            entity_name=entity_name,
            partition_key=event.partition_key,
            timestamp_ms=event.timestamp_ms,
            names={name: entity[name] for name in names},
            event_id=event.id,
        )

    @property
    def event(self) -> DomainEvent:
        """The event, as far as the token names it."""
        entities = {self.entity_name: dict(self.names)}
        return ToldEvent(self.event_id, self.type, self.timestamp_ms, self.partition_key, entities)

    def to_token(self) -> str:
        """Return the token, which fits into a header and into a URL as it is."""
        content = [
            VERSION,
            self.source,
            self.type,
            self.entity_name,
            self.partition_key,
            self.timestamp_ms,
            self.event_id,
            dict(self.names),
        ]
        text = strict_json.dumps([*content, _checksum(content)])
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    @classmethod
    def from_token(cls, token: str) -> Self:
        """Read a token. Its checksum finds garbling; it is no signature, for a forged one shows nothing.

        Raises:
            ValueError: it is not a token, or one of another version.

        """
        try:
            padded = token[:_MAX_TOKEN_CHARACTERS] + "=" * (-len(token) % 4)
            *content, checksum = strict_json.loads(base64.b64decode(padded, altchars=b"-_", validate=True).decode())
            version, source, event_type, entity_name, partition_key, timestamp_ms, event_id, names = content
        except (ValueError, TypeError) as error:
            raise ValueError(MALFORMED) from error
        if version != VERSION or checksum != _checksum(content):
            raise ValueError(MALFORMED)
        texts = (source, event_type, entity_name, partition_key, event_id)
        if not all(map(_is_name, texts)) or not _is_time(timestamp_ms):
            raise ValueError(MALFORMED)
        if not isinstance(names, dict) or not all(_is_name(value) or is_whole(value) for value in names.values()):
            raise ValueError(MALFORMED)
        return cls(
            source=source,
            type=event_type,
            entity_name=entity_name,
            partition_key=partition_key,
            timestamp_ms=timestamp_ms,
            names=names,
            event_id=event_id,
        )


def _checksum(content: list[Any]) -> str:
    return hashlib.sha256(strict_json.canonical(content).encode()).hexdigest()[:8]


def _is_name(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_NAME_CHARACTERS and (not value or value.isprintable())


def _is_time(value: object) -> bool:
    return is_whole(value) and 0 <= value <= MAX_TIMESTAMP_MS
