"""Layout of the event lake, for it and its readers: its bucket, its folders and the lines of its objects.

An object is gzipped NDJSON under `events/day=2026-11-21/hour=09/`; each line is EventBridge's envelope around one fact.
"""

import gzip
import io
import re
from collections.abc import Iterator
from functools import partial
from typing import Final, TypedDict

from andon.runtime import times
from andon.runtime.json_types import JsonObject

BUCKET: Final = "LAKE_BUCKET"

EVENTS: Final = "events"
DAY: Final = "day="
HOUR: Final = "hour="

# A queue's message has 1 MiB, and what Lambda gets of it may escape each of its characters.
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
MOST_LINE_BYTES: Final = 8 * 1024 * 1024

OBJECT: Final = re.compile(rf"{EVENTS}/{DAY}\d{{4}}-\d\d-\d\d/{HOUR}\d\d/[\w-]+\.ndjson\.gz", re.ASCII)
"""The key of an object of events."""

EnvelopeHead = TypedDict("EnvelopeHead", {"id": str, "source": str, "detail-type": str, "time": str})
"""The members of EventBridge's envelope that somebody reads, around its fact.

`id` of a line is the service and the fact's own id, see `andon.stores.lake.batch`: the bus's is another one whenever an
entry is put. `time` is when the bus took the entry, in whole seconds.
"""


class Envelope(EnvelopeHead):
    """A line of the lake: the fact is its `detail`."""

    detail: JsonObject


def folder_of(day: str) -> str:
    """Return the folder of a day, as `2026-11-21`, in UTC."""
    return f"{EVENTS}/{DAY}{day}/"


def hour_of(ms: int) -> str:
    """Return a text that sorts right before the objects of an hour, and behind those of the hours before."""
    day, _, time = times.to_utc(ms).partition("T")
    return f"{folder_of(day)}{HOUR}{time[:2]}"


def day_in(folder: str) -> str:
    """Return the day of its folder."""
    return folder.removeprefix(f"{EVENTS}/{DAY}").removesuffix("/")


def hour_in(key: str) -> str:
    """Return the hour of an object's key, as `2026-11-21T09`."""
    _, day, hour, _ = key.split("/")
    return f"{day.removeprefix(DAY)}T{hour.removeprefix(HOUR)}"


def lines_of(body: bytes) -> Iterator[str]:
    """Yield the lines of an object; see `raw_lines_of`.

    `str.splitlines` would also split at U+2028, which may stand in a text.

    Raises:
        ValueError: a line is longer than any event, or no UTF-8.

    """
    return map(bytes.decode, raw_lines_of(body))


def raw_lines_of(body: bytes) -> Iterator[bytes]:
    """Yield the lines of an object, unpacked as they are asked for: a few kilobytes may hold gigabytes.

    Raises:
        ValueError: a line is longer than any event.

    """
    with gzip.GzipFile(fileobj=io.BytesIO(body)) as file:
        for line in iter(partial(file.readline, MOST_LINE_BYTES + 1), b""):
            if len(line) > MOST_LINE_BYTES:
                raise ValueError("a line is longer than any event")
            if line != b"\n":
                yield line.removesuffix(b"\n")
