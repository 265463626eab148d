"""Gigabytes, partitions and provisioned units of tables at so many reports a second."""

from collections import Counter
from math import ceil
from typing import Final

from andon.cdk.target import Target
from andon.packages.discovery import packages, views
from andon.testing.memory.meter import TableOrIndex
from bench.simulate import limits
from bench.simulate.model import FleetModel

ROW_DAYS: Final = 33
GB: Final = 1_000_000_000
TABLES_OF_VIEWS: Final = frozenset(TableOrIndex(table) for package in views() for table in package.tables)


def stored_gb(model: FleetModel, table: str, rate: float) -> float:
    """Return the gigabytes of a table when as much expires as comes."""
    return model.counted.row_bytes.get(table, 0) * rate * ROW_DAYS * 86_400 / GB


def shards(model: FleetModel, rate: float) -> dict[str, int]:
    """Return the partitions of each table, each of which is a shard of its stream: by throughput and by size."""
    writes: Counter[str] = Counter()
    for used in model.counted.used.values():
        for (place, _), units in used.writes.items():
            if not place.index_name:
                writes[place.table] += units
    return {
        table: ceil(
            max(
                _first_partitions(model.target, table),
                units / model.counted.reports * rate / limits.PARTITION_WRITES.value,
                stored_gb(model, table, rate) / limits.PARTITION_GB.value,
            )
        )
        for table, units in writes.items()
    }


def provisioned_places(target: Target) -> frozenset[TableOrIndex]:
    """Return the tables, and their indexes, whose capacity is provisioned."""
    if target.capacity is None:
        return frozenset()
    schemas = [one for package in packages() for one in package.tables.items()]
    return frozenset(
        TableOrIndex(table, index) for table, schema in schemas if schema.steady for index in ("", *schema.indexes)
    )


def provisioned_writes(model: FleetModel, rate: float) -> float:
    """Return the write capacity of all places at so many reports a second, as if the load never jumped."""
    units, capacity = model.write_units(), model.target.capacity
    least = capacity.least if capacity else 0
    return sum(_followed(units.get(place, 0.0) * rate, least, model) for place in provisioned_places(model.target))


def provisioned_reads(model: FleetModel, rate: float) -> float:
    """Return the read capacity of all places at so many reports a second, people's reads aside."""
    units, capacity = model.read_units(), model.target.capacity
    least, shown = (capacity.least, capacity.shown) if capacity else (0, 0)
    return sum(
        _followed(units.get(place, 0.0) * rate, shown if place in TABLES_OF_VIEWS else least, model)
        for place in provisioned_places(model.target)
    )


def _followed(used: float, least: float, model: FleetModel) -> float:
    return max(least, used / model.used)


def _first_partitions(target: Target, table: str) -> float:
    """Return the partitions of a new table, by what it takes at once."""
    capacity = target.capacity
    if capacity is None or TableOrIndex(table) not in provisioned_places(target):
        return limits.NEW_TABLE_WRITES.value / limits.PARTITION_WRITES.value
    return capacity.first / limits.PARTITION_WRITES.value + capacity.first / limits.PARTITION_READS.value
