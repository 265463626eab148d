"""A million events in the lake, in the archive and replayed: bytes, CPU, memory, the time of saved queries.

`python -m lab.lake --events 1000000` (`make bench N=…`). Unlike the other figures, the queries' are times
on the clock, of both processors: what somebody waits for. The archive's sweep runs in a process of its own, so that its
memory is nobody else's; S3 is there, too, and is not counted. So does the replay into an empty view: the objects are
read, their messages made, and the view's listener called with ten at a time; its table takes every update, so that
neither a queue, nor the pace, nor a network is in the figure. Beside it, over the wire to the instant server: the same
listener, and `aws-lambda-stream`'s, with the same events.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from andon.events.bus_entry import Replay
from andon.events.domain_event import MAX_TIMESTAMP_MS
from andon.packages.package import Package
from andon.recorded.lake import lines_of
from andon.recorded.resend import messages_of
from andon.runtime import clock
from andon.runtime.errors import CallFailed
from andon.stores.archive.pages import read_day
from andon.stores.archive.store import BUCKET, KINDS, LAKE, SUBJECTS
from andon.stores.archive.sweep import compact_if_stale, days_in_lake
from andon.stores.lake import queries
from andon.stores.lake.batch import objects_of
from andon.testing.environment import LocalContext, environment
from andon.testing.memory.hook import AwsRefused
from andon.testing.memory.objects import Objects
from andon.tools.lake import engine
from andon.tools.stack.progress import step
from andon.tools.what_if.report import peak_bytes as most_held
from andon.wire import aws
from demo import npm
from demo.lake import synthetic
from lab import what_if_costs
from lab.figure import AWS_LAMBDA_STREAM, OURS, row
from lab.prices import MILLION
from lab.what_if_costs import COMPANY
from lab.wire import ENVIRONMENT, Client, Server
from lab.workload import batches, undisturbed


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


def archive(lake: Path, *, actor: str) -> Archived:
    """Compact all days of a lake, in a process of its own; then read the last day of a piece of equipment."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_archive, lake, actor).result()


def archive_report(archived: Archived, events: int, *, actor: str) -> str:
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


def _archive(lake: Path, actor: str) -> Archived:
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


VIEW: Final = Package("views", "state_log")
# What the npm library's rule takes; ours takes whatever it is sent.
COMPARED: Final = [["equipment", "state-reported"]]
BATCH: Final = 10


class Replayed(NamedTuple):
    """Figures of a replay, and the rows that it left."""

    events: int
    rows: int
    requests: int
    cpu_s: float


def measure_replay(lake: Path) -> str:
    """Replay a lake, in a process of its own; return the report."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        replayed = process.submit(replay, lake).result()
    try:
        beside = _over_the_wire(lake)
    except npm.NotInstalled as reason:
        print(f"without aws-lambda-stream: {reason}", file=sys.stderr)
        beside = {}
    return replay_report(replayed, beside)


def replay(lake: Path) -> Replayed:
    """Replay all objects of a lake into an empty view."""
    listener, topics = VIEW.handler("listener"), sorted(VIEW.subscriptions)
    keys, requests, events = set[str](), 0, 0

    def update(*_: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        nonlocal requests
        requests += 1
        keys.add("\0".join(part["S"] for part in request["Key"].values()))
        return {}

    with environment(ENVIRONMENT), undisturbed(clock.now_ms()), patch.object(aws, "call", update):
        started = time.process_time()
        for bodies in _messages(lake, topics):
            events += len(bodies)
            for batch in batches(bodies, BATCH):
                if listener(batch, LocalContext("replayed"))["batchItemFailures"]:
                    raise RuntimeError("a message was not materialized")
        cpu_s = time.process_time() - started
    return Replayed(events, len(keys), requests, cpu_s)


def replay_report(replayed: Replayed, beside: Mapping[str, float]) -> str:
    """Write the figures among each other; beside: µs an event."""
    rate = f"{replayed.events / replayed.cpu_s:,.0f}"
    lines = [
        f"replay: {replayed.events:,} events into an empty {VIEW.name}, {replayed.rows:,} rows",
        row("from the lake to rows, in process", rate, f"events a second of CPU, {replayed.cpu_s:,.1f} s"),
        row("updates, for an event", f"{replayed.requests / replayed.events:,.2f}"),
    ]
    alone = "the listener alone, over the wire"
    return "\n".join(lines + [row(f"{alone}: {name}", f"{1e6 / cpu_us:,.0f}") for name, cpu_us in beside.items()])


def _over_the_wire(lake: Path) -> dict[str, float]:
    """Return the CPU in µs an event of either listener, with the same events, in turns."""
    messages = [*islice((body for bodies in _messages(lake, COMPARED) for body in bodies), 5_000)]
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="andon-replay-"))
        workload = Path(folder) / "workload.json"
        workload.write_text(json.dumps({"messages": messages, "records": [], "put_state": [], "get_logs": []}))
        server = stack.enter_context(Server())
        asked = {
            name: stack.enter_context(Client(name, workload, server.endpoint)) for name in (OURS, AWS_LAMBDA_STREAM)
        }
        rounds = [{name: one.cpu_us("listener", BATCH) for name, one in asked.items()} for _ in range(5)]
    return {name: median(one[name] for one in rounds[1:]) / len(messages) for name in asked}


def _messages(lake: Path, topics: list[Any]) -> Iterator[list[str]]:
    """Yield the messages of each object, in the order of their keys."""
    for file in sorted(lake.rglob("*.ndjson.gz")):
        yield messages_of(lines_of(file.read_bytes()), topics, Replay("0" * 32), now_ms=clock.now_ms()).bodies


MACHINE: Final = "press-gdl-1-1-1"
ASKED: Final[Mapping[str, Mapping[str, str]]] = {  # saved query -> parameters
    "facts_by_type_by_hour": {},
    "mtbf_mttr": {},
    "story": {"equipment": MACHINE},
}


class WriteCost(NamedTuple):
    """Figures of writing; `cpu_us`: of the listener's own work for one event, without S3."""

    events: int
    objects: int
    plain_bytes: int
    stored_bytes: int
    cpu_us: float


class QueryCost(NamedTuple):
    """A query's time on the clock, its CPU and its rows."""

    name: str
    seconds: float
    cpu_s: float
    rows: int


def write(folder: Path, count: int) -> WriteCost:
    """Write `count` made-up events as the lake's listener does, into a folder."""
    events = objects = plain = stored = 0
    cpu_s = 0.0
    for messages in synthetic.batches(synthetic.envelopes(COMPANY, count)):
        started = time.process_time()
        made = objects_of(messages, now_ms=MAX_TIMESTAMP_MS)
        cpu_s += time.process_time() - started
        for one in made:
            file = folder / one.key
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(one.body)
        events += len(messages)
        objects += len(made)
        plain += sum(len(body.encode()) for _, body in messages)
        stored += sum(len(one.body) for one in made)
    return WriteCost(events, objects, plain, stored, cpu_s / events * 1e6)


def ask(folder: Path) -> Iterator[QueryCost]:
    """Ask the saved queries over all that was written, one after the other."""
    for name, given in ASKED.items():
        question = queries.saved(name)
        connection = engine.connect(folder)
        started, cpu_started = time.perf_counter(), time.process_time()
        table = engine.ask(connection, question, question.values(given))
        yield QueryCost(name, time.perf_counter() - started, time.process_time() - cpu_started, len(table.rows))


def report(written: WriteCost, asked: list[QueryCost]) -> str:
    """Write the figures among each other."""
    plain, stored = (size / written.events for size in (written.plain_bytes, written.stored_bytes))
    lines = [
        f"lake: {written.events:,} made-up events in {written.objects:,} objects",
        row("bytes per event, as NDJSON", f"{plain:,.0f}"),
        row("… as stored", f"{stored:,.0f}", f"   {written.stored_bytes / 1e6:,.0f} MB in all"),
        row("CPU to write an event, without S3", f"{written.cpu_us:,.1f}", "µs"),
    ]
    lines += [
        row(f"query {one.name}", f"{one.seconds:,.1f}", f"s  {one.cpu_s:,.1f} s of CPU, {one.rows:,} rows")
        for one in asked
    ]
    return "\n".join(lines)


def measure(count: int) -> str:
    """Write and ask in a folder that goes afterwards, and return the report."""
    with tempfile.TemporaryDirectory(prefix="andon-lake-") as folder:
        lake = Path(folder)
        with step(f"writing {count:,} made-up events"):
            written = write(lake, count)
        with step("asking three saved queries"):
            asked = list(ask(lake))
        with step("archiving them by actor and day"):
            archived = archive(lake, actor=MACHINE)
        with step("replaying them into an empty view"):
            replayed = measure_replay(lake)
        with step("deciding them anew"):
            decided = what_if_costs.measure(lake)
    parts = (report(written, asked), archive_report(archived, written.events, actor=MACHINE), replayed, decided)
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    """Print what so many events cost."""
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("--events", type=int, default=MILLION, help="how many")
    parser.add_argument("--keep", type=Path, help="only write the lake, into this folder")
    given = parser.parse_args(arguments)
    print(measure(given.events) if given.keep is None else report(write(given.keep, given.events), []))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
