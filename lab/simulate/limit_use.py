"""The used share of each limit."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from andon.cdk.target import Target
from andon.testing.memory.meter import TableOrIndex
from lab.simulate import limits
from lab.simulate.arrivals import Load
from lab.simulate.capacity import at_first, new_throughput, provisioned_places, provisioned_writes
from lab.simulate.grouping import message_to, publishers
from lab.simulate.invocations import Invocations, batched
from lab.simulate.limits import Limit
from lab.simulate.model import FleetModel
from lab.simulate.partitions import Partition, named
from lab.simulate.receives import subscribers
from lab.simulate.sweeps import DueRows

CAPACITY: Final = "library/andon/cdk/capacity.py"
AT_FIRST: Final = "provisioned capacity at first"
AT_MOST: Final = "provisioned capacity, by reportsPerSecond"
MARGIN_SOURCE: Final = "andon/rules/sweep.py, docs/benchmarks.md"


class LimitUse(NamedTuple):
    """The use of a limit in the busiest second."""

    what: str
    used: float
    limit: Limit

    @property
    def share(self) -> float:
        """1 is all of it."""
        return self.used / self.limit.value


def of_api_and_bus(model: FleetModel, load: Load, busiest: float) -> Iterator[LimitUse]:
    """Yield the use of what every report passes; `busiest`: the reports of the busiest second."""
    counted = model.counted
    own_throttle = Limit(model.throttle.per_second, "library/andon/cdk/throttles.py", "the API's own throttle")
    yield LimitUse("requests/s of the API, its own throttle", load.rate * counted.requests, own_throttle)
    yield LimitUse("requests/s of the account's API Gateway", busiest * counted.requests, limits.API_RATE)
    entries = sum(one.facts / one.cut.facts for one in publishers(model, load.rate))
    yield LimitUse("entries/s onto the bus", entries * busiest, limits.BUS_ENTRIES)
    delivered = sum(model.counted.facts_to(to) / message_to(model, to, load.rate).facts for to in subscribers(model))
    yield LimitUse("deliveries/s from the bus to queues", delivered * busiest, limits.BUS_DELIVERIES)


def of_functions(
    model: FleetModel, load: Load, busiest: float, functions: Mapping[str, Invocations]
) -> Iterator[LimitUse]:
    """Yield the use of the account's concurrency, and of what each function's own lets through."""
    peak = busiest / load.rate if load.rate else 1.0
    at_once = sum(one.at_once for one in functions.values())
    yield LimitUse("Lambda invocations at a time", at_once * peak, limits.CONCURRENCY)
    for name in functions:
        if not name.endswith("command"):
            own = Limit(
                batched(model, name, load.rate).capacity, "library/andon/cdk/target.py", f"concurrency of {name}"
            )
            yield LimitUse(f"records/s of {name}", model.records(name) * load.rate, own)


def of_sweeps(due_rows: Mapping[str, DueRows]) -> Iterator[LimitUse]:
    """Yield the use of the sweeps of a minute."""
    for name, rows in due_rows.items():
        limit = Limit(rows.at_most, MARGIN_SOURCE, f"memory of {name}'s sweep")
        yield LimitUse(f"rows a minute of {name}'s sweep", rows.per_minute, limit)


def of_tables(model: FleetModel, load: Load, busiest: float, partitions: tuple[Partition, ...]) -> Iterator[LimitUse]:
    """Yield the use of the busiest partitions, of each table and index, and of all that is provisioned."""
    for one in partitions:
        what = f"write units/s of {named(one.place)}, partition of one {one.shared_by}"
        yield LimitUse(what, one.units_per_s, limits.PARTITION_WRITES)
    for place, units in model.write_units().items():
        new, grown = _writes_of(model.target, place)
        yield LimitUse(f"write units/s of {named(place)}, when it is new", units * busiest, new)
        yield LimitUse(f"write units/s of {named(place)}", units * busiest, grown)
    if model.target.capacity:
        first = at_first(model.target).writes
        yield LimitUse("write units/s of all tables, when they are new", first, limits.ACCOUNT_WRITES)
        yield LimitUse("write units/s of all tables", provisioned_writes(model, load.rate), limits.ACCOUNT_WRITES)


def _writes_of(target: Target, place: TableOrIndex) -> tuple[Limit, Limit]:
    """Return the write units that a place takes at first, and once it has grown."""
    new, capacity = new_throughput(target, place).writes, target.capacity
    if capacity is None or place not in provisioned_places(target):
        return limits.NEW_TABLE_WRITES._replace(value=new), limits.TABLE_WRITES
    return Limit(new, CAPACITY, AT_FIRST), Limit(capacity.most, CAPACITY, AT_MOST)
