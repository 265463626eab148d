"""A line of the lake with what it is sorted by: when it was taken, its own time, its subject. One line of a file. Pure.

Sorted as bytes, records are in the order in which events arrived, whatever the lake's objects are; those of one
millisecond in the order of their own times.
"""

import json
import re
from typing import Final, NamedTuple

import orjson

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.events.bus_entry import Delivery, from_envelope

SEPARATOR: Final = b"\t"

# A number that DynamoDB gives back without its fraction.
_WHOLE_FLOAT: Final = re.compile(rb"\d\.0+(?:[eE][+-]?\d+)?[,}\]]")


class LakeRecord(NamedTuple):
    """A line of the lake, see `plain_line`. taken_ms: see `Delivery.taken_ms`."""

    taken_ms: int
    timestamp_ms: int
    subject: str
    line: bytes

    @classmethod
    def of(cls, delivery: Delivery, line: bytes) -> "LakeRecord":
        """Return the record of a line that was read."""
        event = delivery.event
        return cls(delivery.taken_ms, event.timestamp_ms, event.partition_key, line)

    def to_bytes(self) -> bytes:
        """Return it as a line of a file."""
        sorted_by = f"{self.taken_ms:013d}\t{self.timestamp_ms:013d}\t{self.subject}\t".encode()
        return sorted_by + self.line + b"\n"


def record_in(line: bytes) -> LakeRecord:
    """Read a line of `to_bytes`."""
    taken, timestamp, subject, rest = line.rstrip(b"\n").split(SEPARATOR, 3)
    return LakeRecord(int(taken), int(timestamp), subject.decode(), rest)


def plain_line(line: bytes) -> bytes:
    """Return a line with its numbers as a table gives them back: the same, unless it has a fraction of zeros.

    Raises:
        ValueError, TypeError: it is no JSON, or none that a table takes.

    """
    return json.dumps(to_plain(to_typed(orjson.loads(line)))).encode() if _WHOLE_FLOAT.search(line) else line


def delivery_in(line: bytes) -> Delivery:
    """Return the event of a line.

    Raises:
        Poison, ValueError: it is none.

    """
    return from_envelope(orjson.loads(line))
