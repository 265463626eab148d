"""Gigabytes, partitions and units of tables at so many reports a second: on demand, and provisioned."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from math import ceil
from typing import Final

from andon.cdk.capacity import NEW, Capacity, Place, Throughput, warm
from andon.cdk.owned_table import places_of
from andon.cdk.target import Target
from andon.packages.discovery import packages, views
from andon.testing.memory.meter import TableOrIndex
from contract import logs
from lab.simulate import limits
from lab.simulate.model import FleetModel

GB: Final = 1_000_000_000
TABLES_OF_VIEWS: Final = frozenset(TableOrIndex(table) for package in views() for table in package.tables)


@cache
def steady_places() -> dict[TableOrIndex, Place]:
    """Return the tables, and their indexes, that are provisioned in a stage whose load is known."""
    schemas = [(package, *one) for package in packages() for one in package.tables.items()]
    return {
        TableOrIndex(table, index): place
        for package, table, schema in schemas
        if schema.steady
        for index, place in places_of(schema, is_rebuilt=package.side == "views").items()
    }


def provisioned_places(target: Target) -> Mapping[TableOrIndex, Place]:
    """Return the tables, and their indexes, whose capacity is provisioned."""
    return steady_places() if target.capacity else {}


def stored_gb(model: FleetModel, table: str, rate: float) -> float:
    """Return the gigabytes of a table when as much expires as comes."""
    return model.counted.row_bytes.get(table, 0) * rate * logs.TTL_DAYS * 86_400 / GB


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
                _first_partitions(model.target, TableOrIndex(table)),
                units / model.counted.reports * rate / limits.PARTITION_WRITES.value,
                stored_gb(model, table, rate) / limits.PARTITION_GB.value,
            )
        )
        for table, units in writes.items()
    }


def provisioned_writes(model: FleetModel, rate: float) -> float:
    """Return the write capacity of all places at so many reports a second, as if the load never jumped."""
    return _followed(model, model.write_units(), rate, lambda units: units.writes)


def provisioned_reads(model: FleetModel, rate: float) -> float:
    """Return the read capacity of all places at so many reports a second, people's reads aside."""
    return _followed(model, model.read_units(), rate, lambda units: units.reads)


def at_first(target: Target) -> Throughput:
    """Return the units of all places when they are provisioned for the first time."""
    firsts = [target.capacity.first_of(place) for place in steady_places().values()] if target.capacity else []
    return Throughput(sum(one.reads for one in firsts), sum(one.writes for one in firsts))


def new_throughput(target: Target, place: TableOrIndex) -> Throughput:
    """Return the units that a place takes when it is new."""
    steady = steady_places().get(place)
    if steady is None:
        return NEW
    return target.capacity.first_of(steady) if target.capacity else warm(steady, target.reports.per_second) or NEW


def _followed(
    model: FleetModel, used: Mapping[TableOrIndex, float], rate: float, kind: Callable[[Throughput], int]
) -> float:
    def has(place: TableOrIndex, steady: Place, capacity: Capacity) -> float:
        return max(kind(capacity.least_of(steady)), used.get(place, 0.0) * rate / model.used)

    capacity = model.target.capacity
    return sum(has(*one, capacity) for one in steady_places().items()) if capacity else 0.0


def _first_partitions(target: Target, table: TableOrIndex) -> float:
    """Return the partitions of a new table, by what it takes at once."""
    new = new_throughput(target, table)
    by_each = new.writes / limits.PARTITION_WRITES.value, new.reads / limits.PARTITION_READS.value
    # What is provisioned shares partitions, what is on demand has enough of either.
    return sum(by_each) if target.capacity and table in steady_places() else max(by_each)
