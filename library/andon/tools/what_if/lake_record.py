"""A line of the lake with what it is sorted by: when it was taken, its own time, its subject. One line of a file. Pure.

Sorted as bytes, records are in the order in which events arrived, whatever the lake's objects are; those of one
millisecond in the order of their own times, and behind them what rules decided, subject by subject, in turn.
"""

import json
import re
from typing import Final, NamedTuple

import orjson

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.events.bus_entry import Delivery, from_envelope
from andon.events.domain_event import ENVELOPE, DomainEvent

SEPARATOR: Final = b"\t"

EVERYWHERE: Final = "*"
"""The mark of what lies in all groups: each may know it."""

_BEHIND_ALL_MS: Final = 10**13 - 1

# A number that DynamoDB gives back without its fraction.
_WHOLE_FLOAT: Final = re.compile(rb"\d\.0+(?:[eE][+-]?\d+)?[,}\]]")


class LakeRecord(NamedTuple):
    """A line of the lake, see `plain_line`. taken_ms: see `Delivery.taken_ms`.

    mark: EVERYWHERE; or digits: the place of a decided fact among those of its time and subject; mostly empty.
    """

    taken_ms: int
    timestamp_ms: int
    subject: str
    line: bytes
    mark: str = ""

    @classmethod
    def of(cls, delivery: Delivery, line: bytes) -> "LakeRecord":
        """Return the record of a line that was read."""
        event = delivery.event
        return cls(delivery.taken_ms, event.timestamp_ms, event.partition_key, line)

    @classmethod
    def of_fact(cls, source: str, fact: DomainEvent, *, about: str, taken_ms: int, number: int) -> "LakeRecord":
        """Return the record of a fact that a rule decided. about: the subject of its anchor. number: its place."""
        line = orjson.dumps({"source": source, "detail-type": fact.type, "detail": fact.to_wire()})
        return cls(taken_ms, _BEHIND_ALL_MS, about, line, f"{number:013d}")

    def to_bytes(self) -> bytes:
        """Return it as a line of a file."""
        sorted_by = f"{self.taken_ms:013d}\t{self.timestamp_ms:013d}\t{self.subject}\t{self.mark}\t".encode()
        return sorted_by + self.line + b"\n"


def record_in(line: bytes) -> LakeRecord:
    """Read a line of `to_bytes`."""
    taken, timestamp, subject, mark, rest = line.split(SEPARATOR, 4)
    return LakeRecord(int(taken), int(timestamp), subject.decode(), rest, mark.decode())


def plain_line(line: bytes) -> bytes:
    """Return a line with its numbers as a table gives them back: the same, unless it has a fraction of zeros.

    Raises:
        ValueError, TypeError: it is no JSON, or none that a table takes.

    """
    return json.dumps(to_plain(to_typed(orjson.loads(line)))).encode() if _WHOLE_FLOAT.search(line) else line


def delivery_again(record: LakeRecord) -> Delivery:
    """Return the event of a record, whose line was read before by `delivery_in`: nothing is checked again."""
    envelope = orjson.loads(record.line)
    wire = envelope["detail"]
    get, tags = wire.get, wire.get("tags")
    event = DomainEvent(
        wire["id"],
        wire["type"],
        wire["timestamp"],
        str(get("partitionKey", "")),
        {name: value for name, value in wire.items() if name not in ENVELOPE},
        tags if isinstance(tags, dict) else {},
        get("raw"),
    )
    return Delivery(envelope["source"], event, record.taken_ms)


def delivery_in(line: bytes) -> Delivery:
    """Return the event of a line.

    Raises:
        Poison, ValueError: it is none.

    """
    return from_envelope(orjson.loads(line))
