"""The lake's objects: which key a batch of events gets, and which bytes. Pure.

An object is gzipped NDJSON: each line is EventBridge's envelope, as it came. It holds events of one hour by the
envelope's `time`, so that a late event lies in the hour of its neighbours. Key and bytes depend on the events alone,
neither on their order nor on a clock: a batch that comes again finds its object there, and writes nothing. Only one
whose time lies ahead of the clock is filed under the time at which it came here.
"""

import gzip
import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, cast

import orjson

from andon.recorded.lake import HOUR, Envelope, folder_of
from andon.runtime import times
from andon.runtime.times import MAX_AHEAD_MS

UNREADABLE: Final = "unreadable"  # the folder beside that of the events

CLAIMED: Final = "claimed-time"
"""The member of an envelope with the time that its publisher claimed, if that lay ahead."""

DIGITS: Final = 24  # 96 bits: no two batches of an hour get one name


def read(body: str) -> Envelope | None:
    """Return the envelope in the body of a message; None if it cannot be a line of the lake."""
    try:
        envelope = orjson.loads(body)
        _moment(envelope)
        texts = (envelope["id"], envelope["source"], envelope["detail-type"])
        is_one = all(isinstance(text, str) and text for text in texts) and isinstance(envelope["detail"], dict)
    except (ValueError, TypeError, KeyError, OverflowError):
        return None
    return envelope if is_one else None


def taken(body: str, envelope: Envelope, *, now_ms: int) -> tuple[str, Envelope]:
    """Return the line of a message and its envelope; a time that lies ahead becomes now.

    Whoever publishes may choose the time of the bus. Days that lie ahead would be compacted and sampled for good.
    """
    if _moment(envelope).timestamp() * 1000 <= now_ms + MAX_AHEAD_MS:
        return line_of(body), envelope
    now = f"{times.to_utc(now_ms)[:19]}Z"
    told = cast("Envelope", {**envelope, "time": now, CLAIMED: envelope["time"]})
    return orjson.dumps(told).decode(), told


def partition_of(envelope: Envelope) -> str:
    """Return the folder of an event: `events/day=2026-11-21/hour=09/`, in UTC."""
    moment = _moment(envelope)
    return f"{folder_of(moment.date().isoformat())}{HOUR}{moment.hour:02}/"


def key_of(envelopes: Iterable[Envelope]) -> str:
    """Return the key of an object with these events, which are of one hour: `<folder><HHMMSS>-<24 hex>.ndjson.gz`.

    HHMMSS is the time of the earliest one; the digits are a digest of the bus's ids, sorted.
    """
    found = list(envelopes)
    first = min(found, key=_moment)
    ids = "\n".join(sorted({envelope["id"] for envelope in found}))
    digest = hashlib.sha256(ids.encode()).hexdigest()[:DIGITS]
    return f"{partition_of(first)}{_moment(first):%H%M%S}-{digest}.ndjson.gz"


def unreadable_key_of(message_id: str) -> str:
    """Return the key of a body that cannot be a line, by its message: a digest would tell what was erased from it."""
    return f"{UNREADABLE}/{message_id}"


def to_bytes(body: str) -> bytes:
    """Return the bytes of a text, whatever it is: a surrogate that stands alone must not be lost either."""
    return body.encode(errors="surrogatepass")


def line_of(body: str) -> str:
    """Return an envelope as one line. JSON has line breaks only between its tokens, where a space means the same."""
    return body.replace("\r", " ").replace("\n", " ").strip(" ")


def to_object(lines: Iterable[str]) -> bytes:
    """Return the bytes of an object with these lines; a line that comes twice is there once."""
    text = "".join(f"{line}\n" for line in sorted(set(lines)))
    return gzip.compress(text.encode(), mtime=0)  # by default it writes the time of day into the header


def _moment(envelope: Envelope) -> datetime:
    """Return the time at which the bus took an event, in UTC.

    Raises:
        ValueError: the time is none, or does not say its offset.

    """
    moment = datetime.fromisoformat(envelope["time"])
    if moment.tzinfo is None:
        raise ValueError("a time without an offset")
    return moment.astimezone(UTC)
