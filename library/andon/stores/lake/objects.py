"""The lake's objects: which key a batch of events gets, and which bytes. Pure.

An object is gzipped NDJSON, see `andon.stores.lake.lines`. It holds events of one hour by the envelope's `time`, so
that a late event lies in the hour of its neighbours. Key and bytes depend on the events alone, neither on their order,
nor on the entries of the bus that they shared, nor on a clock: a batch that comes again finds its object there, and
writes nothing. Only one whose time lies ahead of the clock is filed under the time at which it came here.
"""

import gzip
import hashlib
from collections.abc import Iterable
from typing import Final

from andon.recorded.lake import HOUR, EnvelopeHead, folder_of
from andon.stores.lake.lines import moment_of

UNREADABLE: Final = "unreadable"  # the folder beside that of the events

DIGITS: Final = 24  # 96 bits: no two batches of an hour get one name


def partition_of(head: EnvelopeHead) -> str:
    """Return the folder of an event: `events/day=2026-11-21/hour=09/`, in UTC."""
    moment = moment_of(head)
    return f"{folder_of(moment.date().isoformat())}{HOUR}{moment.hour:02}/"


def key_of(heads: Iterable[EnvelopeHead]) -> str:
    """Return the key of an object with these events, which are of one hour: `<folder><HHMMSS>-<24 hex>.ndjson.gz`.

    HHMMSS is the time of the earliest one; the digits are a digest of the ids and times of the lines, sorted.
    """
    found = list(heads)
    first = min(found, key=moment_of)
    lines = [f"{head['time']} {head['id']}" for head in found]
    digest = hashlib.sha256("\n".join(sorted(set(lines))).encode()).hexdigest()[:DIGITS]
    return f"{partition_of(first)}{moment_of(first):%H%M%S}-{digest}.ndjson.gz"


def unreadable_key_of(message_id: str) -> str:
    """Return the key of a body that cannot be a line, by its message: a digest would tell what was erased from it."""
    return f"{UNREADABLE}/{message_id}"


def to_bytes(body: str) -> bytes:
    """Return the bytes of a text, whatever it is: a surrogate that stands alone must not be lost either."""
    return body.encode(errors="surrogatepass")


def to_object(lines: Iterable[str]) -> bytes:
    """Return the bytes of an object with these lines; a line that comes twice is there once."""
    text = "".join(f"{line}\n" for line in sorted(set(lines)))
    return gzip.compress(text.encode(), mtime=0)  # by default it writes the time of day into the header
