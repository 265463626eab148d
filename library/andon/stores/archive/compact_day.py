"""A day of the lake -> the day of every actor. Each step can be done again: the same objects give the same bytes.

A day is stale if its manifest does not name exactly the lake's objects of that day, as they are now; so what arrives
late, or is replaced, needs no case of its own. A sweep that ends early leaves the indexes that it has written, and the
next one goes on behind them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypedDict

from andon.project import Actors
from andon.recorded import lake
from andon.recorded.archive import SHARDS, ArchiveIndex, Manifest, data_folder, index_key, manifest_key
from andon.stores.archive import lines
from andon.stores.archive.lines import Pass, ShardOfKind
from andon.stores.archive.objects import data_key, digest_of, to_data
from andon.stores.archive.store import BUCKET, LAKE
from andon.wire.bucket import Bucket

Goes = Callable[[], bool]
"""True while there is time to begin another pass."""


class Compacted(TypedDict):
    """Result for a day; `whole`: its manifests are written; `unnamed`: see `actors_in`."""

    passes: int
    whole: bool
    unnamed: int


_archive, _lake = Bucket(BUCKET), Bucket(LAKE)


def days_in_lake() -> list[str]:
    """List the days that the lake has, in order."""
    return [lake.day_in(folder) for folder in _lake.folders(f"{lake.EVENTS}/")]


def compact_if_stale(day: str, kinds: Sequence[Actors], *, goes_on: Goes) -> Compacted | None:
    """Write the day of every actor of some kinds, unless it is as the lake is; None if it is."""
    objects = _lake.etags(lake.folder_of(day))
    stale = [kind for kind in kinds if _manifest(kind, day)["lake"] != objects]
    return _compact(day, objects, stale, goes_on) if stale else None


def _compact(day: str, objects: Mapping[str, str], kinds: Sequence[Actors], goes_on: Goes) -> Compacted:
    of, passes, unnamed = digest_of(map(" ".join, objects.items())), 0, 0
    indexes = {
        part: _index(part, day) for part in (ShardOfKind(kind, shard) for kind in kinds for shard in range(SHARDS))
    }
    while missing := [part for part, index in indexes.items() if index is None or index["of"] != of]:
        if not goes_on():
            return {"passes": passes, "whole": False, "unnamed": unnamed}
        read = _read(objects, missing)
        unnamed = max(unnamed, read.unnamed)  # each pass sees all events
        indexes |= {part: _write(day, part, read, of=of) for part in read.parts}
        passes += 1
    for kind in kinds:
        _finish(kind, day, objects, [index for part, index in indexes.items() if index and part.kind == kind])
    return {"passes": passes, "whole": True, "unnamed": unnamed}


def _read(keys: Iterable[str], parts: Sequence[ShardOfKind]) -> Pass:
    """Read all objects of a day, one at a time, and keep the lines of as many parts as memory holds."""
    read = Pass(parts, most_bytes=lines.MOST_BYTES)
    for key in keys:
        read.add(lake.lines_of(_lake.require_bytes(key)))
    return read


def _write(day: str, part: ShardOfKind, read: Pass, *, of: str) -> ArchiveIndex:
    """Write the data of a part, then its index."""
    body, places = to_data(read.lines_of(part))
    index: ArchiveIndex = {"of": of, "actors": places}
    if places:
        index["data"] = data_key(part.kind.name, day, part.shard, body)
        _archive.replace(index["data"], body)
    _archive.replace(index_key(part.kind.name, day, part.shard), index)
    return index


def _finish(kind: Actors, day: str, objects: Mapping[str, str], indexes: Sequence[ArchiveIndex]) -> None:
    """Write the manifest; remove data that neither it nor the one before names, which nobody reads any more."""
    data = sorted(index["data"] for index in indexes if "data" in index)
    before = _manifest(kind, day)["data"]
    for key in _archive.keys(data_folder(kind.name, day)):
        if key not in {*data, *before}:
            _archive.remove(key)
    manifest: Manifest = {"lake": dict(objects), "data": data}
    _archive.replace(manifest_key(kind.name, day), manifest)


def _index(part: ShardOfKind, day: str) -> ArchiveIndex | None:
    found: ArchiveIndex | None = _archive.get(index_key(part.kind.name, day, part.shard))
    return found


def _manifest(kind: Actors, day: str) -> Manifest:
    found: Manifest | None = _archive.get(manifest_key(kind.name, day))
    return found or {"lake": {}, "data": []}
