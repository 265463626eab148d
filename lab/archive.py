"""The archive's sweep over the days of a lake in a folder: CPU, memory, objects; and an actor's day.

The sweep runs in a process of its own, so that its memory is nobody else's; S3 is there, too, and is not counted.
"""

import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from andon.runtime.errors import CallFailed
from andon.stores.archive.compact_day import compact_if_stale, days_in_lake
from andon.stores.archive.days import read_day
from andon.stores.archive.store import BUCKET, KINDS, LAKE, SUBJECTS
from andon.testing.environment import environment
from andon.testing.memory.calls import AwsRefused
from andon.testing.memory.objects import Objects
from andon.tools.what_if.process_cost import peak_bytes as most_held
from andon.wire import aws
from lab.figure import row

MILLION: Final = 1_000_000


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


def sweep(lake: Path, *, actor: str) -> Archived:
    """Compact all days of a lake, in a process of its own; then read the last day of a piece of equipment."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_sweep, lake, actor).result()


def report(archived: Archived, events: int, *, actor: str) -> str:
    """Write the figures among each other, beside those of the trial that the archive was planned by."""
    share = MILLION / events
    of_day = f"{archived.day_ms:,.1f} ms of CPU without S3, {archived.day_events:,} events"
    peak = f"{archived.peak_bytes / 1e6:,.0f}"
    lines = [
        f"archive: {archived.days} days in {archived.passes} passes, {archived.data_objects} data objects",
        row("CPU of the sweep, for a million events", f"{archived.cpu_s * share:,.1f}", "s  planned: 20 s"),
        row("peak memory of the sweep", peak, "MB  planned: 1,260 MB, a million at once"),
        row("data, for a million events", f"{archived.data_bytes * share / 1e6:,.0f}", "MB  planned: 78 MB"),
        row("indexes", f"{archived.index_bytes / 1e3:,.0f}", "KB"),
        row(f"the day of {actor}", f"{archived.day_requests:,}", f"requests, {of_day}"),
    ]
    return "\n".join(lines)


def _sweep(lake: Path, actor: str) -> Archived:
    stores, calls = {LAKE: Objects(), BUCKET: Objects()}, Counter[str]()

    def call(_: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        calls[operation] += 1
        try:
            return stores[request["Bucket"]].answer(operation.title().replace("_", ""), request)
        except AwsRefused as refused:
            raise CallFailed(refused.code) from refused

    read, written = (store.bodies for store in stores.values())
    read |= {str(file.relative_to(lake)): file.read_bytes() for file in lake.rglob("*.ndjson.gz")}
    with environment({bucket: bucket for bucket in stores}), patch.object(aws, "call", call):
        started, days = time.process_time(), days_in_lake()
        done = [compact_if_stale(day, KINDS, goes_on=lambda: True) for day in days]
        cpu_s = time.process_time() - started
        peak_bytes = most_held() - sum(map(len, [*read.values(), *written.values()]))
        calls.clear()
        started = time.process_time()
        found = [*read_day(SUBJECTS, actor, days[-1])]
        day_ms = (time.process_time() - started) * 1000
    data = [len(body) for key, body in written.items() if "/data/" in key]
    return Archived(
        days=len(days),
        passes=sum(one["passes"] for one in done if one),
        cpu_s=cpu_s,
        peak_bytes=peak_bytes,
        data_objects=len(data),
        data_bytes=sum(data),
        index_bytes=sum(len(body) for key, body in written.items() if "/index/" in key),
        day_events=len(found),
        day_requests=calls.total(),
        day_ms=day_ms,
    )
