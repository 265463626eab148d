"""The archive's sweep over the days of a lake in a folder: CPU, memory, objects; and an actor's day.

The sweep runs in a process of its own, so that its memory is nobody else's. S3 is a folder here.
"""

import io
import resource
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from andon.runtime.errors import CallFailed
from andon.stores.archive.compact_day import compact_if_stale, days_in_lake
from andon.stores.archive.days import read_day
from andon.stores.archive.store import BUCKET, KINDS, LAKE, SUBJECTS
from bench.instead_of_aws import InPlaceOfCall

MILLION: Final = 1_000_000
STATUS: Final = Path("/proc/self/status")


class Archived(NamedTuple):
    """Figures of a sweep and its objects, and of reading an actor's day: requests, milliseconds without S3."""

    days: int
    passes: int
    cpu_s: float
    peak_bytes: int
    data_objects: int
    data_bytes: int
    index_bytes: int
    day_events: int
    day_requests: int
    day_ms: float


class BucketsInFolders(InPlaceOfCall):
    """S3, whose buckets are folders; counts requests by operation."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: Counter[str] = Counter()

    def call(self, service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        """Answer one request."""
        self.requests[operation] += 1
        bucket, key = Path(request["Bucket"]), request.get("Key", "")
        match service, operation:
            case "s3", "get_object":
                return {"Body": io.BytesIO(_read(bucket / key, request.get("Range"))), "ETag": ""}
            case "s3", "put_object":
                (bucket / key).parent.mkdir(parents=True, exist_ok=True)
                (bucket / key).write_bytes(request["Body"])
                return {}
            case "s3", "list_objects_v2":
                return _listed(bucket, request)
        raise NotImplementedError(operation)


def sweep(lake: Path, archive: Path, *, actor: str) -> Archived:
    """Compact all days of a lake, in a process of its own; then read the last day of a piece of equipment."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_sweep, lake, archive, actor).result()


def report(archived: Archived, events: int, *, actor: str) -> str:
    """Write the figures among each other, beside those of the trial that the archive was planned by."""
    share = MILLION / events
    of_day = f"{archived.day_ms:,.1f} ms of CPU without S3, {archived.day_events:,} events"
    lines = [
        f"archive: {archived.days} days in {archived.passes} passes, {archived.data_objects} data objects",
        f"{'CPU of the sweep, for a million events':<54} {archived.cpu_s * share:>9,.1f} s  planned: 20 s",
        f"{'peak memory of the sweep':<54} {archived.peak_bytes / 1e6:>9,.0f} MB  planned: 1,260 MB, a million at once",
        f"{'data, for a million events':<54} {archived.data_bytes * share / 1e6:>9,.0f} MB  planned: 78 MB",
        f"{'indexes':<54} {archived.index_bytes / 1e3:>9,.0f} KB",
        f"{f'the day of {actor}':<54} {archived.day_requests:>9,} requests, {of_day}",
    ]
    return "\n".join(lines)


def _sweep(lake: Path, archive: Path, actor: str) -> Archived:
    buckets = {LAKE: str(lake), BUCKET: str(archive)}
    with patch.dict("os.environ", buckets), BucketsInFolders() as s3:
        started, days = time.process_time(), days_in_lake()
        done = [compact_if_stale(day, KINDS, goes_on=lambda: True) for day in days]
        cpu_s, peak_bytes = time.process_time() - started, _peak_bytes()
        s3.requests.clear()
        started = time.process_time()
        found = read_day(SUBJECTS, actor, days[-1])
        day_ms = (time.process_time() - started) * 1000
    data = _sizes(archive, "*/data/**/*.ndjson.gz")
    return Archived(
        days=len(days),
        passes=sum(one["passes"] for one in done if one),
        cpu_s=cpu_s,
        peak_bytes=peak_bytes,
        data_objects=len(data),
        data_bytes=sum(data),
        index_bytes=sum(_sizes(archive, "*/index/**/*.json")),
        day_events=len(found),
        day_requests=s3.requests.total(),
        day_ms=day_ms,
    )


def _peak_bytes() -> int:
    """Return the most memory that this process has held.

    Linux counts it since the program began. What `getrusage` says there began with the parent's.
    """
    if STATUS.exists():
        (peak,) = (line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(peak.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in bytes on macOS


def _read(file: Path, part: str | None) -> bytes:
    try:
        content = file.read_bytes()
    except FileNotFoundError as error:
        raise CallFailed("NoSuchKey") from error
    if part is None:
        return content
    first, last = part.removeprefix("bytes=").split("-")
    return content[int(first) : int(last) + 1]


def _listed(bucket: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """List keys or, with a delimiter, folders; one page has them all."""
    folder = bucket / request["Prefix"]
    if "Delimiter" in request:
        return {"CommonPrefixes": [{"Prefix": f"{one.relative_to(bucket)}/"} for one in sorted(folder.iterdir())]}
    files = sorted(str(file.relative_to(bucket)) for file in folder.rglob("*") if file.is_file())
    return {"Contents": [{"Key": key} for key in files]}


def _sizes(folder: Path, pattern: str) -> list[int]:
    return [file.stat().st_size for file in folder.glob(pattern)]
