"""Layout of the event lake, for it and its readers: its bucket, its folders and the lines of its objects.

An object is gzipped NDJSON under `events/day=2026-11-21/hour=09/`; each line is EventBridge's envelope, as it came.
"""

import gzip
from typing import Any, Final, TypedDict

BUCKET: Final = "LAKE_BUCKET"

EVENTS: Final = "events"
DAY: Final = "day="
HOUR: Final = "hour="

Envelope = TypedDict("Envelope", {"id": str, "source": str, "detail-type": str, "time": str, "detail": dict[str, Any]})
"""EventBridge's envelope, without what nobody reads.

`id` is the bus's own, another one whenever an event is published; `time` is when it took the event, in whole seconds.
"""


def folder_of(day: str) -> str:
    """Return the folder of a day, as `2026-11-21`, in UTC."""
    return f"{EVENTS}/{DAY}{day}/"


def day_in(folder: str) -> str:
    """Return the day of its folder."""
    return folder.removeprefix(f"{EVENTS}/{DAY}").removesuffix("/")


def hour_in(key: str) -> str:
    """Return the hour of an object's key, as `2026-11-21T09`."""
    _, day, hour, _ = key.split("/")
    return f"{day.removeprefix(DAY)}T{hour.removeprefix(HOUR)}"


def lines_of(body: bytes) -> list[str]:
    """Return the lines of an object. `str.splitlines` would also split at U+2028, which may stand in a text."""
    return [line for line in gzip.decompress(body).decode().split("\n") if line]
