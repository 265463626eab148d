"""A million events in the lake, in the archive and replayed: bytes, CPU, memory, the time of saved queries.

`python -m lab.lake --events 1000000` (`make bench-lake N=…`). Unlike the other figures, the queries' are times
on the clock, of both processors: what somebody waits for.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from andon.events.domain_event import MAX_TIMESTAMP_MS
from andon.stores.lake import queries
from andon.stores.lake.batch import objects_of
from andon.tools.lake import engine
from andon.tools.stack.progress import step
from demo.lake.synthetic import batches, envelopes
from lab import archive, replay, what_if_costs
from lab.figure import row
from lab.what_if_costs import COMPANY

EVENTS: Final = 1_000_000
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
    for messages in batches(envelopes(COMPANY, count)):
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
            archived = archive.sweep(lake, actor=MACHINE)
        with step("replaying them into an empty view"):
            replayed = replay.measure(lake)
        with step("deciding them anew"):
            decided = what_if_costs.measure(lake)
    parts = (report(written, asked), archive.report(archived, written.events, actor=MACHINE), replayed, decided)
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    """Print what so many events cost."""
    parser = argparse.ArgumentParser(prog="make bench-lake")
    parser.add_argument("--events", type=int, default=EVENTS, help="how many")
    parser.add_argument("--keep", type=Path, help="only write the lake, into this folder")
    given = parser.parse_args(arguments)
    print(measure(given.events) if given.keep is None else report(write(given.keep, given.events), []))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
