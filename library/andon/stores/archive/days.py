"""Events of an actor on a day, in two requests: for its shard's index and for its own member of the data."""

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Final

from andon.project import Actors
from andon.recorded.archive import ArchiveIndex, day_in, index_key, manifest_folder, manifest_key, shard_of
from andon.recorded.lake import lines_of
from andon.runtime.errors import CallFailed
from andon.stores.archive.store import BUCKET
from andon.wire.bucket import Bucket

GONE: Final = "NoSuchKey"

_archive = Bucket(BUCKET)


def days_of(kind: Actors, *, first: str, last: str) -> Iterator[str]:
    """List the days from `first` to `last` that were archived, in order."""
    before = manifest_key(kind.name, first).removesuffix(".json")  # sorts right before the manifest of the first
    days = map(day_in, _archive.keys(manifest_folder(kind.name), after=before))
    return takewhile(lambda day: day <= last, days)


def read_day(kind: Actors, actor: str, day: str) -> Iterable[str]:
    """Return the events of an actor and a day, in order, as the lake has them."""
    try:
        return _read(kind, actor, day)
    except CallFailed as error:
        if error.code != GONE:
            raise
        return _read(kind, actor, day)  # the day was written twice since we read its index


def _read(kind: Actors, actor: str, day: str) -> Iterable[str]:
    index: ArchiveIndex | None = _archive.get(index_key(kind.name, day, shard_of(actor)))
    place = index and index["actors"].get(actor)
    if not index or not place:
        return []
    offset, length, _ = place
    return lines_of(_archive.require_bytes(index["data"], first=offset, length=length))
