"""Recorded events of subjects: from the archive's days, and from the lake those that are not archived yet.

The archive is up to an hour behind: what the manifest of a day does not name of the lake's objects is read from there.
A day that is being written again has events twice, which changes nothing for who takes the newest.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from typing import Final

import orjson

from andon.recorded import lake
from andon.recorded.archive import (
    BUCKET,
    SHARDS,
    SUBJECTS,
    ArchiveIndex,
    Manifest,
    day_in,
    index_key,
    manifest_folder,
    manifest_key,
    shard_of,
)
from andon.runtime import clock, times
from andon.runtime.errors import CallFailed
from andon.wire.bucket import Bucket
from andon.wire.in_threads import at_once

SAMPLED: Final = 10
"""Subjects that a sample has at most; they are of one shard, so that they share its indexes."""

# Days whose events in the lake are always read; of earlier days only if asked for: it costs two requests more a day.
NEWEST: Final = 2

_DAYS_AT_ONCE: Final = 64

GONE: Final = "NoSuchKey"

Line = tuple[str, str]
"""The subject, and the envelope."""


class Recorded:
    """Events by subject, since a time in epoch milliseconds, which counts as its whole day."""

    def __init__(self) -> None:
        self._archive, self._lake = Bucket(BUCKET), Bucket(lake.BUCKET)

    def begins_ms(self) -> int | None:
        """Return the beginning of the lake's first day; None if it is empty."""
        folder = next(self._lake.folders(f"{lake.EVENTS}/"), None)
        return None if folder is None else times.to_ms(f"{lake.day_in(folder)}T00:00")

    def has_since(self, since_ms: int) -> bool:
        """Return True if the lake has an event that the bus took in the hour of a time, or later."""
        first = lake.hour_of(since_ms)
        return next(self._lake.keys(f"{lake.EVENTS}/", after=first), None) is not None

    def sample(self, from_ms: int) -> list[str]:
        """Return some subjects of which a day was archived, by chance."""
        days = self._archived(from_ms)
        if not days:
            return []
        day, shard = random.choice(days), random.randrange(SHARDS)  # noqa: S311  chance is no secret
        actors = sorted(self._index(day, shard)["actors"])
        return random.sample(actors, min(SAMPLED, len(actors)))

    def of_partitions(self, partitions: Sequence[str], from_ms: int, *, with_late: bool) -> Iterator[Line]:
        """Return the events of some subjects; with_late: also those that came late to an earlier day."""
        wanted = frozenset(partitions)
        days = self._archived(from_ms)
        for some in _chunks(days):
            for lines in at_once(partial(_retried, partial(self._of_day, day, wanted)) for day in some):
                yield from lines
        settled = [] if with_late else days[:-NEWEST]
        yield from (line for line in self._not_archived(settled, from_ms) if line[0] in wanted)

    def of_shard(self, shard: int, from_ms: int) -> Iterator[Line]:
        """Return the events of all subjects of a shard."""
        days = self._archived(from_ms)
        for day in days:
            yield from _retried(partial(self._of_shard, day, shard))
        yield from (line for line in self._not_archived(days[:-NEWEST], from_ms) if shard_of(line[0]) == shard)

    def _archived(self, from_ms: int) -> list[str]:
        """List the days that were archived, in order, up to tomorrow."""
        first = manifest_key(SUBJECTS, times.date_of(from_ms)).removesuffix(".json")  # sorts right before that manifest
        days = map(day_in, self._archive.keys(manifest_folder(SUBJECTS), after=first))
        return [*takewhile(_is_not_ahead, days)]

    def _index(self, day: str, shard: int) -> ArchiveIndex:
        index: ArchiveIndex = self._archive.require(index_key(SUBJECTS, day, shard))
        return index

    def _of_shard(self, day: str, shard: int) -> list[Line]:
        index = self._index(day, shard)
        return _with_actors(lake.lines_of(self._archive.require_bytes(index["data"]))) if "data" in index else []

    def _of_day(self, day: str, wanted: frozenset[str]) -> list[Line]:
        """Return the events of some subjects and a day: an index for each shard, a range for each subject."""
        lines: list[Line] = []
        for shard in {shard_of(actor) for actor in wanted}:
            index = self._index(day, shard)
            for actor in sorted(wanted & index["actors"].keys()):
                offset, length, _ = index["actors"][actor]
                body = self._archive.require_bytes(index["data"], first=offset, length=length)
                lines += [(actor, line) for line in lake.lines_of(body)]
        return lines

    def _not_archived(self, settled: Sequence[str], from_ms: int) -> Iterator[Line]:
        """Yield the lake's lines that are not archived, one object after another, except those of settled days."""
        first, left_out = times.date_of(from_ms), frozenset(settled)
        in_lake = (lake.day_in(folder) for folder in self._lake.folders(f"{lake.EVENTS}/"))
        days = [day for day in in_lake if first <= day and _is_not_ahead(day) and day not in left_out]
        for keys in at_once(partial(self._keys_not_archived, day) for day in days):
            for key in keys:
                yield from _with_actors(lake.lines_of(self._lake.require_bytes(key)))

    def _keys_not_archived(self, day: str) -> list[str]:
        manifest: Manifest | None = self._archive.get(manifest_key(SUBJECTS, day))
        in_archive = manifest["lake"] if manifest else {}
        return [key for key, etag in self._lake.etags(lake.folder_of(day)).items() if in_archive.get(key) != etag]


def _with_actors(lines: Iterable[str]) -> list[Line]:
    found = ((orjson.loads(line)["detail"].get("partitionKey"), line) for line in lines)
    return [(actor, line) for actor, line in found if isinstance(actor, str)]


def _retried(read: Callable[[], list[Line]]) -> list[Line]:
    """Read again if a day was written twice since its index was read, so that its data are gone."""
    try:
        return read()
    except CallFailed as error:
        if error.code != GONE:
            raise
        return read()


def _is_not_ahead(day: str) -> bool:
    """Return True if a clock that is a little ahead may have begun a day."""
    return day <= times.date_of(clock.now_ms() + clock.DAY_MS)


def _chunks(days: Sequence[str]) -> Iterator[Sequence[str]]:
    return (days[start : start + _DAYS_AT_ONCE] for start in range(0, len(days), _DAYS_AT_ONCE))
