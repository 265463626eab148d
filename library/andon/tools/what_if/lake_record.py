"""An event of the lake with what it is sorted by: when it was taken, its own time, its subject. A line of a file. Pure.

Sorted as bytes, records are in the order in which events arrived, whatever the lake's objects are; those of one
millisecond in the order of their own times, and behind them what rules decided, subject by subject, in turn.
"""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple, cast

import orjson

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.events.bus_entry import Delivery, from_envelope
from andon.events.domain_event import DomainEvent
from andon.runtime.json_types import JsonMapping

SEPARATOR: Final = b"\t"

EVERYWHERE: Final = "*"
"""The mark of what lies in all groups: each may know it."""

_KINDS_OF_TAGS: Final = 10_000

_BEHIND_ALL_MS: Final = 10**13 - 1

# A number that DynamoDB gives back without its fraction; it begins with the dot, which is looked for fast.
_WHOLE_FLOAT: Final = re.compile(rb"\.(?<=\d\.)0+(?:[eE][+-]?\d+)?[,}\]]")


class RecordedEvent(DomainEvent):
    """An event whose `raw` is JSON that is read when somebody asks for it: most of an event is what nobody asks for."""

    __slots__ = ()

    @property
    def raw(self) -> JsonMapping | None:
        """The images of its row."""
        raw: object = self[-1]
        return cast("JsonMapping | None", orjson.loads(raw) if isinstance(raw, bytes) else raw)


class LakeRecord(NamedTuple):
    """An event of the lake. taken_ms: see `Delivery.taken_ms`.

    line: JSON, the source and the members of the event up to its entities, in their order. tags: JSON; many events have
    the same, and share what is read of it. raw: JSON, or empty. mark: EVERYWHERE; or digits: the place of a decided
    fact among those of its time and subject; mostly empty.
    """

    taken_ms: int
    timestamp_ms: int
    subject: str
    line: bytes
    tags: bytes = b"{}"
    raw: bytes = b""
    mark: str = ""

    @classmethod
    def of(cls, delivery: Delivery) -> "LakeRecord":
        """Return the record of an event."""
        event = delivery.event
        line, raw = _to_json([delivery.source, *event[:-2]]), b"" if event.raw is None else _to_json(event.raw)
        return cls(delivery.taken_ms, event.timestamp_ms, event.partition_key, line, _to_json(event.tags), raw)

    @classmethod
    def of_fact(cls, source: str, fact: DomainEvent, *, about: str, taken_ms: int, number: int) -> "LakeRecord":
        """Return the record of a fact that a rule decided. about: the subject of its anchor. number: its place."""
        line, tags = _to_json([source, *fact[:-2]]), _to_json(fact.tags)
        return cls(taken_ms, _BEHIND_ALL_MS, about, line, tags, mark=f"{number:013d}")

    def to_bytes(self) -> bytes:
        """Return it as a line of a file."""
        sorted_by = f"{self.taken_ms:013d}\t{self.timestamp_ms:013d}\t{self.subject}\t{self.mark}\t".encode()
        return b"%b%b\t%b\t%b\n" % (sorted_by, self.line, self.tags, self.raw)

    @property
    def delivery(self) -> Delivery:
        """The event: it was checked before there was a record, and is not checked again."""
        source, *members = orjson.loads(self.line)
        event = RecordedEvent._make((*members, _tags_in(self.tags), self.raw or None))
        return Delivery(source, event, self.taken_ms)


def record_in(line: bytes) -> LakeRecord:
    """Read a line of `to_bytes`."""
    taken, timestamp, subject, mark, event, tags, raw = line[:-1].split(SEPARATOR)
    return LakeRecord(int(taken), int(timestamp), subject.decode(), event, tags, raw, mark.decode())


def delivery_in(line: bytes) -> Delivery:
    """Return the event of a line of the lake, with its numbers as a table gives them back: 12 for 12.0.

    Raises:
        Poison, ValueError, TypeError: it is none.

    """
    plain = json.dumps(to_plain(to_typed(orjson.loads(line)))) if _WHOLE_FLOAT.search(line) else line
    return from_envelope(orjson.loads(plain))


@lru_cache(maxsize=_KINDS_OF_TAGS)
def _tags_in(text: bytes) -> Mapping[str, str]:
    tags: Mapping[str, str] = orjson.loads(text)
    return tags


def _to_json(value: object) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # it has more levels than it reads
        return json.dumps(value).encode()
