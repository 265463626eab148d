"""lake -> archive: an hourly schedule writes the days that are not as the lake is."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final, TypedDict

from andon.project import Actors
from andon.recorded import lake
from andon.recorded.archive import SHARDS, ArchiveIndex, Manifest, data_folder, index_key, manifest_key
from andon.runtime import clock, times
from andon.runtime.clock import DAY_MS, HOUR_MS
from andon.runtime.json_types import JsonObject
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.runtime.tried import Failed, require_all, tried
from andon.stores.archive import pages
from andon.stores.archive.pages import Pass, ShardOfKind, data_key, digest_of, to_data
from andon.stores.archive.store import BUCKET, KINDS, LAKE
from andon.wire.bucket import Bucket

# A day of the lake -> the day of every actor. Each step can be done again: the same objects give the same bytes.
#
# A day is stale if its manifest does not name exactly the lake's objects of that day, as they are now; so what
# arrives late, or is replaced, needs no case of its own. A sweep that ends early leaves the indexes that it has
# written, and the next one goes on behind them.

_Goes = Callable[[], bool]
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


def compact_if_stale(day: str, kinds: Sequence[Actors], *, goes_on: _Goes) -> Compacted | None:
    """Write the day of every actor of some kinds, unless it is as the lake is; None if it is."""
    objects = _lake.etags(lake.folder_of(day))
    stale = [kind for kind in kinds if _manifest(kind, day)["lake"] != objects]
    return _compact(day, objects, stale, goes_on) if stale else None


def _compact(day: str, objects: Mapping[str, str], kinds: Sequence[Actors], goes_on: _Goes) -> Compacted:
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
    read = Pass(parts, most_bytes=pages.MOST_BYTES)
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


# One run of the sweep: its days, its end, and its log line.

# An event lies in the lake under the day on which the bus took it. It comes later than that by what EventBridge retries
# (1 day), the queue keeps (4) and its dead letters wait (14). Once a day all days are looked at, whatever was late.
LATEST_DAYS: Final = 20


COUNTS: Final = ("days", "stale", "passes", "left", "failed", "unnamed")
"""The counts of a run. unnamed: actors of events that have more of them, or longer names, than the archive keeps."""


class TimeLeft:
    """Time left in an invocation; a step begins if twice the longest one so far is left."""

    def __init__(self, context: LambdaContext) -> None:
        self._context, self._left_ms, self._longest_ms = context, context.get_remaining_time_in_millis(), 0

    def is_enough(self) -> bool:
        """Return True if another step may begin; the one before has ended."""
        left_ms = self._context.get_remaining_time_in_millis()
        self._longest_ms, self._left_ms = max(self._longest_ms, self._left_ms - left_ms), left_ms
        return left_ms > 2 * self._longest_ms


def compact_stale_days(context: LambdaContext, *, now_ms: int) -> None:
    """Write stale days, the newest first, until there are none or time runs out: the next run goes on.

    Raises:
        Exception: a day failed; the others are written.

    """
    counts, time_left = Counter(dict.fromkeys(COUNTS, 0)), TimeLeft(context)
    results = list[Compacted | Failed | None]()
    for day in sorted(days_to_check(days_in_lake(), now_ms=now_ms), reverse=True):
        kinds = kinds_kept(day, now_ms=now_ms)
        results.append(done := tried(partial(compact_if_stale, day, kinds, goes_on=time_left.is_enough)))
        counts.update(_counts_of(done))
    extra = {"function_request_id": context.aws_request_id, "view": "archive", **counts}
    logger().info("archived", extra=extra)
    require_all(results)


def _counts_of(done: Compacted | Failed | None) -> dict[str, int]:
    """Return the counts that a day adds to the counts."""
    if isinstance(done, Failed):
        return {"days": 1, "failed": 1}
    if done is None:
        return {"days": 1}
    rest = {"passes": done["passes"], "left": int(not done["whole"]), "unnamed": done["unnamed"]}
    return {"days": 1, "stale": 1, **rest}


def days_to_check(days: Iterable[str], *, now_ms: int) -> list[str]:
    """Return the days that a run looks at: the latest, and in the first hour of a day all that are kept.

    A clock that is ahead may have begun tomorrow; nothing real lies behind that.
    """
    looks_at_all = now_ms % DAY_MS < HOUR_MS
    kept = [day for day in days if kinds_kept(day, now_ms=now_ms) and _age(day, now_ms) >= -1]
    return [day for day in kept if looks_at_all or _age(day, now_ms) <= LATEST_DAYS]


def kinds_kept(day: str, *, now_ms: int) -> list[Actors]:
    """Return the kinds that keep a day; without its manifest, expired rows would be written again."""
    return [kind for kind in KINDS if _age(day, now_ms) < kind.keeps_days]


def _age(day: str, now_ms: int) -> int:
    """Return the age of a day, in days since it began."""
    return (now_ms - times.to_ms(f"{day}T00:00")) // DAY_MS


def handler(event: JsonObject, context: LambdaContext) -> None:  # noqa: ARG001  a schedule's event says nothing
    """Handle a tick of the clock."""
    compact_stale_days(context, now_ms=clock.now_ms())
