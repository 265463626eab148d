"""Dollars of a replica region: S3's copies of lake and archive, beside what it would cost to copy the tables, too."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from andon.packages.discovery import services
from andon.testing.memory.meter import TableOrIndex
from lab import prices
from lab.prices import MILLION
from lab.simulate.capacity import GB, stored_gb
from lab.simulate.kept import ARCHIVE_BYTES, LAKE_BYTES
from lab.simulate.model import FleetModel
from lab.simulate.money import HOUR_S
from lab.simulate.recorded import lake_facts, lake_objects
from lab.simulate.settings import DAY_S, MONTH_S, YEAR_DAYS

REWRITTEN: Final = 12
"""So often an event of the archive is copied: the sweep writes the whole day again each hour."""

ALARMS: Final = 2
METRICS: Final = 4  # of the one rule with metrics: latency, bytes and operations pending, operations failed
YEAR_S: Final = YEAR_DAYS * DAY_S

OWNED: Final = frozenset(TableOrIndex(table) for service in services() for table in service.tables)


class ReplicaPrice(NamedTuple):
    """Dollars a month at a rate of reports. in_time: what replication time control adds, within `lake`.

    kept: copies of lake and archive after a year. tables: what global tables would cost for the services' tables.
    """

    lake: float
    in_time: float
    archive: float
    kept: float
    idle: float
    tables: float

    @property
    def total(self) -> float:
        """All of it, without the tables."""
        return self.lake + self.archive + self.kept + self.idle


def of_a_month(model: FleetModel, rate: float) -> ReplicaPrice:
    """Return the price of a month at so many reports a second."""
    events = lake_facts(model) * rate
    lake_gb, archive_gb = (events * MONTH_S * size / GB for size in (LAKE_BYTES, ARCHIVE_BYTES * REWRITTEN))
    in_time = lake_gb * prices.COPIED_IN_TIME_GB.dollars
    puts = lake_objects(model, rate) * rate * MONTH_S * prices.S3_PUT.for_(1)
    return ReplicaPrice(
        lake=lake_gb * prices.BETWEEN_REGIONS_GB.dollars + in_time + puts,
        in_time=in_time,
        archive=archive_gb * prices.BETWEEN_REGIONS_GB.dollars,
        kept=events * YEAR_S * (LAKE_BYTES + ARCHIVE_BYTES) / GB * prices.LAKE_GB.dollars,
        idle=ALARMS * prices.ALARM.dollars + METRICS * prices.METRIC.dollars,
        tables=_global_tables(model, rate),
    )


def lines(model: FleetModel, rate: float) -> Iterator[str]:
    """Yield what a replica region costs a stage, and what it would cost in another way."""
    price = of_a_month(model, rate)
    million = (price.lake + price.archive) * MILLION / (rate * MONTH_S)
    yield f"with a replicaRegion: ${million:.3f} more a million, and ${price.kept:.2f} a month for copies kept a year"
    yield (
        f"  at {rate:g}/s a month: lake ${price.lake:.2f}, of which in time ${price.in_time:.2f}; "
        f"archive ${price.archive:.2f}; alarms and metrics ${price.idle:.2f}"
    )
    yield f"  global tables of the services instead of rows out of the lake: ${price.tables:.0f} a month more"


def _global_tables(model: FleetModel, rate: float) -> float:
    """Return the price of a replica of each table of a service: its writes again, what it stores, and the transfer."""
    units = sum(count for place, count in model.write_units().items() if place in OWNED)
    stored = sum(stored_gb(model, place.table, rate) for place in OWNED)
    moved = sum(model.counted.row_bytes.get(place.table, 0) for place in OWNED) * rate * MONTH_S / GB
    used = units * rate * MONTH_S
    is_provisioned = model.target.capacity is not None
    writes = prices.WRITE_HOUR.for_(used / HOUR_S / model.used) if is_provisioned else prices.WRITE_UNIT.for_(used)
    return writes + stored * prices.TABLE_GB.dollars + moved * prices.BETWEEN_REGIONS_GB.dollars
