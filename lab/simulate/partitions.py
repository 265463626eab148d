"""The busiest partition of each table and index."""

import re
from collections import Counter, defaultdict
from functools import cache
from math import ceil
from typing import Final, NamedTuple

from andon.rules import due
from andon.testing.memory.meter import TableOrIndex
from lab.simulate.arrivals import Load
from lab.simulate.counted_loop import DUE
from lab.simulate.model import FleetModel

MACHINES_OF_AN_OPERATOR: Final = 100
MACHINE: Final = re.compile(r"press-\d+")


def named(place: TableOrIndex) -> str:
    """Return a table, with its index, as it is printed."""
    return ", ".join(filter(None, place))


class Partition(NamedTuple):
    """The busiest partition of a table or an index: who shares it, and its write units in the busiest second."""

    place: TableOrIndex
    shared_by: str
    units_per_s: float


def busiest_partitions(model: FleetModel, load: Load, busiest: float) -> tuple[Partition, ...]:
    """Return them, the busiest first; `busiest`: the reports of the busiest second."""
    best: dict[TableOrIndex, Partition] = {}
    for one in _partitions(model, load, busiest):
        if one.place not in best or best[one.place].units_per_s < one.units_per_s:
            best[one.place] = one
    return tuple(sorted(best.values(), key=lambda one: -one.units_per_s))


def _partitions(model: FleetModel, load: Load, busiest: float) -> list[Partition]:
    """Return one for each kind of who shares a partition."""
    units: dict[tuple[TableOrIndex, str], float] = defaultdict(float)
    for used in model.counted.used.values():
        for (place, key), count in used.writes.items():
            units[place, _kind_of(key)] += count / model.counted.reports
    found = []
    for (place, kind), per_report in units.items():
        if kind == "machine":
            per_s = float(ceil(per_report))  # a machine reports once in five minutes
        elif kind == DUE:
            per_s = per_report * max(busiest, load.rate) * _largest_share(load.machines)
        elif place.index_name == "GSI1":
            per_s = per_report * busiest * MACHINES_OF_AN_OPERATOR / load.machines
        else:
            per_s = per_report * busiest
        found.append(Partition(place, kind, per_s))
    return found


def _kind_of(key: str) -> str:
    """Return the kind of those that share a partition, by its key."""
    if MACHINE.search(key):
        return "machine"
    if key.startswith(DUE):
        return DUE
    return "factory" if key.startswith("Factory") else key


@cache
def _largest_share(machines: int) -> float:
    """Return the share of all machines whose due times lie in the fullest shard, by the code that chooses it."""
    counts = Counter(due.shard_of(f"Equipment#press-{number:07d}") for number in range(machines))
    return max(counts.values()) / machines
