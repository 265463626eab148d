"""Lake and archive: their objects and requests, each a data event of a trail; and their copies elsewhere.

Each hour the archive's sweep reads all objects of the day again, and a look at each view reads what was recorded of
some subjects. Assumed: the stage is a year old, each shard has an actor, an event comes on its own day, and a sweep
ends in time.
"""

from collections.abc import Iterator
from functools import reduce
from math import ceil
from typing import Final, NamedTuple

from andon.cdk.function import OF_STORES, SIZES
from andon.cdk.queues import FEWEST
from andon.drift import compare
from andon.packages.discovery import recomputed, services
from andon.project import Size
from andon.recorded.archive import SHARDS
from andon.recorded.reader import NEWEST, SAMPLED
from andon.stores.archive.pages import MOST_BYTES, OVERHEAD_BYTES
from andon.stores.archive.store import KINDS
from andon.stores.archive.sweep import LATEST_DAYS
from lab import prices
from lab.prices import MILLION, Line
from lab.simulate import limits
from lab.simulate.batches import ENVELOPE_BYTES, LAKE, message_to
from lab.simulate.model import DAY_S, GB, HOUR_S, MONTH_S, YEAR_DAYS, FleetModel

DAY_HOURS: Final = 24
LAKE_BYTES: Final = 127  # of an event in the lake, as stored: docs/benchmarks.md
ARCHIVE_BYTES: Final = 78  # of an event in the archive, as stored: docs/benchmarks.md


def lake_facts(model: FleetModel) -> float:
    """Return the facts in the lake that a report becomes, each a line."""
    return model.counted.facts_to(LAKE)


def lake_objects(model: FleetModel, rate: float) -> float:
    """Return the objects of the lake that a report makes: as many messages become one as an invocation may get."""
    message = message_to(model, LAKE, rate)
    messages = lake_facts(model) / message.facts
    size, window_s = model.target.lake_batch
    fitting = limits.PAYLOAD_BYTES / (message.size + ENVELOPE_BYTES)
    full = min(size, fitting, messages * rate * window_s / FEWEST)
    return messages / max(1.0, full)


def recorded_requests(model: FleetModel, rate: float) -> float:
    """Return the requests that a report makes: the lake's objects are put, and read by the sweeps of their day."""
    line_bytes = model.counted.fact_bytes / lake_facts(model) + ENVELOPE_BYTES + OVERHEAD_BYTES
    return lake_objects(model, rate) * (1 + reads(lake_facts(model) * rate * HOUR_S * line_bytes))


def reads(hour_bytes: float) -> float:
    """Return the number of reads of an object of the lake by the sweeps of its day; hour_bytes: of an hour's events."""
    hours = range(1, DAY_HOURS + 1)
    return sum(hour / DAY_HOURS * passes(hour * hour_bytes) for hour in hours)


def passes(held_bytes: float) -> int:
    """Return the number of times that a sweep reads a day: each for as many shards as memory holds, one at the least.

    held_bytes: of its events, once for their subjects; people are in few of them.
    """
    at_once = max(1, int(MOST_BYTES / (held_bytes / SHARDS)))
    return ceil(SHARDS / at_once)


def recording(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield the lines of a month: Lambda and S3's requests of the lake's listener, and of the archive's sweep."""
    facts, objects = lake_facts(model) * rate * MONTH_S, lake_objects(model, rate) * rate * MONTH_S
    gb_seconds = facts * _gb_seconds(limits.CPU_OF_LAKE_MS, SIZES["listener"])
    yield Line("recording", prices.GB_SECOND, gb_seconds, what=f"{prices.GB_SECOND.of}: the lake's listener")
    read_again = sum(range(1, DAY_HOURS + 1)) / DAY_HOURS  # each hour those of the day until then
    gb_seconds = facts * read_again * _gb_seconds(limits.CPU_OF_ARCHIVE_MS, OF_STORES["stores/archive/sweep"])
    yield Line("recording", prices.GB_SECOND, gb_seconds, what=f"{prices.GB_SECOND.of}: the archive's sweep")
    yield Line("recording", prices.INVOCATION, objects, what=f"{prices.INVOCATION.of}: the lake's listener")
    of_sweeps = recorded_requests(model, rate) * rate * MONTH_S - objects
    yield Line("recording", prices.S3_GET, of_sweeps, what=f"{prices.S3_GET.of}: the archive's sweep")


def _gb_seconds(cpu_ms: float, size: Size) -> float:
    share = min(1.0, size.memory_mb / limits.MB_PER_CPU)
    return cpu_ms * limits.LAMBDA_SLOWER / share / 1_000 * size.memory_mb / 1_024


class Requests(NamedTuple):
    """Requests to S3: GETs; PUTs and LISTs, which cost as much; DELETEs, which cost nothing."""

    reads: int
    writes: int
    deletes: int = 0

    @property
    def total(self) -> int:
        """All of them, each a data event."""
        return sum(self)

    def plus(self, other: "Requests") -> "Requests":
        """Return the sums."""
        return Requests(*(one + another for one, another in zip(self, other, strict=True)))

    def times(self, count: int) -> "Requests":
        """Return so many times as many."""
        return Requests(*(one * count for one in self))


OF_QUESTION: Final = Requests(0, 1)
"""The question if anything has happened since the run before."""


def of_a_day(*, is_quiet: bool = False) -> Requests:
    """Return the requests of a day however few report; one of its sweeps, and one look at a view, are at all days.

    is_quiet: nothing happens, so that no day is written, and no other run looks at a view.
    """
    ttls = [one.view.TTL_DAYS for one in recomputed()]
    looks = (of_look(YEAR_DAYS if days is None else days + compare.LATEST_DAYS) for days in ttls)
    looked = 1 if is_quiet else DAY_HOURS
    asked = OF_QUESTION.times((DAY_HOURS - 1) * len(ttls))
    latest = of_sweep(1 + LATEST_DAYS, is_quiet=is_quiet).times(DAY_HOURS - 1)
    sweeps = [latest, of_sweep(YEAR_DAYS, is_quiet=is_quiet)]
    return reduce(Requests.plus, [*sweeps, asked, *(look.times(looked) for look in looks)])


def of_sweep(days: int, *, is_quiet: bool = False) -> Requests:
    """Return the requests of a sweep that looks at so many days, and writes one, beside reading its objects."""
    kinds = 0 if is_quiet else len(KINDS)
    # Of each shard: its index, read and written; its data, written, and those of two runs before removed. Of each kind:
    # its manifest, read and written, and its data listed.
    of_kind = Requests(SHARDS + 1, 2 * SHARDS + 2, SHARDS)
    # What days there are, the objects of each, and its manifests.
    return Requests(days * len(KINDS), 1 + days).plus(of_kind.times(kinds))


def of_look(days: int) -> Requests:
    """Return the requests of a look at some subjects of a view that were recorded on each of so many days."""
    listed = 4  # when the lake began, the days of the archive twice, those of the lake
    newest = min(days, NEWEST)  # whose objects of the lake are listed, and read
    return Requests(1 + days * (1 + SAMPLED) + newest, listed + newest)  # an index; for each day one, and each subject


def replica_lines(model: FleetModel, rate: float) -> Iterator[str]:
    """Yield what a replica region costs a stage, beside what it would cost to copy the services' tables, too.

    Replication time control is paid for the lake alone. The sweep writes a day of the archive again each hour, so that
    an event is copied twelve times.
    """
    events = lake_facts(model) * rate
    lake_gb, archive_gb = (events * MONTH_S * size / GB for size in (LAKE_BYTES, ARCHIVE_BYTES * 12))
    in_time = lake_gb * prices.COPIED_IN_TIME_GB.dollars
    puts = lake_objects(model, rate) * rate * MONTH_S * prices.S3_PUT.for_(1)
    lake = lake_gb * prices.BETWEEN_REGIONS_GB.dollars + in_time + puts
    archive = archive_gb * prices.BETWEEN_REGIONS_GB.dollars
    kept = events * YEAR_DAYS * DAY_S * (LAKE_BYTES + ARCHIVE_BYTES) / GB * prices.LAKE_GB.dollars
    # Metrics of the one rule that has some: latency, bytes and operations pending, operations failed.
    idle = 2 * prices.ALARM.dollars + 4 * prices.METRIC.dollars
    million = (lake + archive) * MILLION / (rate * MONTH_S)
    yield f"with a replicaRegion: ${million:.3f} more a million, and ${kept:.2f} a month for copies kept a year"
    yield (
        f"  at {rate:g}/s a month: lake ${lake:.2f}, of which in time ${in_time:.2f}; "
        f"archive ${archive:.2f}; alarms and metrics ${idle:.2f}"
    )
    tables = _global_tables(model, rate)
    yield f"  global tables of the services instead of rows out of the lake: ${tables:.0f} a month more"


def _global_tables(model: FleetModel, rate: float) -> float:
    """Return the price of a replica of each table of a service: its writes again, what it stores, and the transfer."""
    owned = {table for service in services() for table in service.tables}
    units = sum(count for place, count in model.write_units().items() if place.table in owned and not place.index_name)
    stored = sum(model.stored_gb(table, rate) for table in owned)
    moved = sum(model.counted.row_bytes.get(table, 0) for table in owned) * rate * MONTH_S / GB
    used = units * rate * MONTH_S
    is_provisioned = model.target.capacity is not None
    writes = prices.WRITE_HOUR.for_(used / HOUR_S / model.used) if is_provisioned else prices.WRITE_UNIT.for_(used)
    return writes + stored * prices.TABLE_GB.dollars + moved * prices.BETWEEN_REGIONS_GB.dollars
