"""Gigabytes, partitions and provisioned units of tables at so many reports a second."""

from collections import Counter
from math import ceil
from typing import Final

from andon.packages.discovery import packages, views
from andon.testing.memory.meter import Place
from bench.simulate import limits
from bench.simulate.model import Model
from bench.simulate.settings import Settings

ROW_DAYS: Final = 33
GB: Final = 1_000_000_000
TABLES_OF_VIEWS: Final = frozenset(Place(table) for package in views() for table in package.tables)


def stored_gb(model: Model, table: str, rate: float) -> float:
    """Return the gigabytes of a table when as much expires as comes."""
    return model.counted.row_bytes.get(table, 0) * rate * ROW_DAYS * 86_400 / GB


def shards(model: Model, rate: float) -> dict[str, int]:
    """Return the partitions of each table, each of which is a shard of its stream: by throughput and by size."""
    writes: Counter[str] = Counter()
    for used in model.counted.used.values():
        for (place, _), units in used.writes.items():
            if not place.index_name:
                writes[place.table] += units
    return {
        table: ceil(
            max(
                _first_partitions(model.settings, table),
                units / model.counted.reports * rate / limits.PARTITION_WRITES.value,
                stored_gb(model, table, rate) / limits.PARTITION_GB.value,
            )
        )
        for table, units in writes.items()
    }


def provisioned_places(settings: Settings) -> frozenset[Place]:
    """Return the tables, and their indexes, whose capacity is provisioned."""
    if settings.capacity is None:
        return frozenset()
    schemas = [one for package in packages() for one in package.tables.items()]
    return frozenset(
        Place(table, index) for table, schema in schemas if schema.steady for index in ("", *schema.indexes)
    )


def provisioned_writes(model: Model, rate: float) -> float:
    """Return the write capacity of all places at so many reports a second, as if the load never jumped."""
    units, settings = model.write_units(), model.settings
    least = settings.capacity.least if settings.capacity else 0
    return sum(_followed(units.get(place, 0.0) * rate, least, settings) for place in provisioned_places(settings))


def provisioned_reads(model: Model, rate: float) -> float:
    """Return the read capacity of all places at so many reports a second, people's reads aside."""
    units, settings = model.read_units(), model.settings
    least, shown = (settings.capacity.least, settings.capacity.shown) if settings.capacity else (0, 0)
    return sum(
        _followed(units.get(place, 0.0) * rate, shown if place in TABLES_OF_VIEWS else least, settings)
        for place in provisioned_places(settings)
    )


def _followed(used: float, least: float, settings: Settings) -> float:
    return max(least, used / settings.used)


def _first_partitions(settings: Settings, table: str) -> float:
    """Return the partitions of a new table, by what it takes at once."""
    capacity = settings.capacity
    if capacity is None or Place(table) not in provisioned_places(settings):
        return limits.NEW_TABLE_WRITES.value / limits.PARTITION_WRITES.value
    return capacity.first / limits.PARTITION_WRITES.value + capacity.first / limits.PARTITION_READS.value
