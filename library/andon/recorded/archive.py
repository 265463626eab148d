"""Layout of the archive, for it and its readers: its bucket, the keys of its objects, the places of actors' events.

| key | object |
|---|---|
| `<kind>/data/day=<day>/<shard>-<24 hex>.ndjson.gz` | the lines of 1/16 of the actors, one gzip member for each |
| `<kind>/index/day=<day>/<shard>.json` | `ArchiveIndex`: where the member of each actor lies |
| `<kind>/manifest/day=<day>.json` | `Manifest`: which of the lake's objects the day was made of |

They are written in this order, so that an index never points at what is not there, and a day with a manifest is whole.
Data are named by their content: what is there under a name is never changed. Members after one another are one gzip
file: a data object is NDJSON.gz, as the lake's objects are.
"""

import hashlib
from functools import lru_cache
from typing import Final, NotRequired, TypedDict

from andon.project import project
from andon.recorded.lake import DAY

BUCKET: Final = "ARCHIVE_BUCKET"

SUBJECTS: Final = project().subjects.name
"""The kind of actors that events are about, by their partition keys."""

SHARDS: Final = 16

Place = list[int]
"""Place of an actor's member in the data: offset, length, number of lines."""


class ArchiveIndex(TypedDict):
    """Places of a shard's actors; `of` is the digest of the lake's objects, as in `Manifest`. No actors, no `data`."""

    of: str
    data: NotRequired[str]
    actors: dict[str, Place]


class Manifest(TypedDict):
    """The objects of the lake that a day was made of, key -> ETag, and the keys of the data objects that were made.

    With the ETag, for an object is replaced under its key if a person is erased who is mentioned in it.
    """

    lake: dict[str, str]
    data: list[str]


@lru_cache(maxsize=16_384)  # a sweep asks it of each actor of each event
def shard_of(actor: str) -> int:
    """Return the shard that an actor is in, the same on every day."""
    return hashlib.sha256(actor.encode()).digest()[0] % SHARDS


def data_folder(kind: str, day: str) -> str:
    """Return the folder of a day's data."""
    return f"{kind}/data/{DAY}{day}/"


def index_folder(kind: str, day: str) -> str:
    """Return the folder of a day's indexes."""
    return f"{kind}/index/{DAY}{day}/"


def index_key(kind: str, day: str, shard: int) -> str:
    """Return the key of an index."""
    return f"{index_folder(kind, day)}{shard:02}.json"


def manifest_folder(kind: str) -> str:
    """Return the folder of the manifests, which begins the key of each."""
    return f"{kind}/manifest/{DAY}"


def manifest_key(kind: str, day: str) -> str:
    """Return the key of a manifest."""
    return f"{manifest_folder(kind)}{day}.json"


def day_in(manifest: str) -> str:
    """Return the day of a manifest's key."""
    return manifest.rpartition(DAY)[2].removesuffix(".json")
