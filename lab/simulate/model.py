"""A deployed stack as reports use it: its settings from cdk.json, the work of its functions, what its tables take."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import Any, Final

from andon.cdk import stage
from andon.cdk.capacity import NEW, USED, Place, Throughput, warm
from andon.cdk.function import SIZES
from andon.cdk.owned_table import places_of
from andon.cdk.target import AWS, Target
from andon.cdk.throttles import Quotas, Throttle, throttles_of
from andon.packages.discovery import packages
from andon.project import project
from andon.testing.memory.meter import TableOrIndex
from contract import logs
from lab import prices
from lab.metered import HTTP
from lab.simulate import limits
from lab.simulate.counted import EQUIPMENT, POST, PUT, Counted, Way

HOUR_S: Final = 3_600
DAY_S: Final = 24 * HOUR_S
MONTH_DAYS: Final = 30
MONTH_S: Final = MONTH_DAYS * DAY_S
YEAR_DAYS: Final = 365
GB: Final = 1_000_000_000

REPORTS: Final = "reportsPerSecond"
PLANNED_OVER_USUAL: Final = 2
"""A stage takes twice the average load: machines are not spread evenly."""


def settings() -> Mapping[str, Mapping[str, Any]]:
    """Return the settings of each stage, by its name."""
    found: Mapping[str, Mapping[str, Any]] = json.loads((project().root / "cdk.json").read_text())["context"]["stages"]
    return found


def target_of(name: str, rate: float = 0, *, capacity: str | None = None) -> Target:
    """Return the target of a stage; `rate`: of the stage as it would have to be for so many reports a second.

    capacity: in place of what cdk.json says.
    """
    said = settings()[name]
    reports = max(said[REPORTS], round(PLANNED_OVER_USUAL * rate))
    changed = {REPORTS: reports, "capacity": capacity or said["capacity"]}
    return AWS.of_stage(stage.read(name, {**said, **changed, **dict.fromkeys(stage.FLAGS, "simulated")}))


def role_of(name: str) -> str:
    """Return the role of a function, which is called as `board listener`."""
    return name.rpartition(" ")[2]


def memory_mb(name: str) -> int:
    """Return the memory of a function."""
    return SIZES[role_of(name)].memory_mb


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The work of one function: per record, the requests to AWS; `http`: an API's caller waits for it.

    published: facts for a record, all of which an invocation brings to the bus at once.
    """

    requests: float
    memory_mb: int
    http: bool = False
    published: float = 0

    @property
    def share(self) -> float:
        """The share of a processor that the function has."""
        return min(1.0, self.memory_mb / limits.MB_PER_CPU)

    def puts(self, records: float) -> float:
        """Return the requests to the bus of an invocation with so many records."""
        return min(1.0, records * self.published)

    def cpu_ms(self, records: float) -> float:
        """Return the CPU of an invocation with so many records, of one of Lambda's processors."""
        requests = records * self.requests + self.puts(records)
        own = limits.CPU_PER_INVOCATION_MS + records * limits.CPU_PER_RECORD_MS
        own += requests * limits.CPU_PER_REQUEST_MS
        return (own + (limits.CPU_OF_HTTP_MS if self.http else 0)) * limits.LAMBDA_SLOWER

    def duration_ms(self, records: float) -> float:
        """Return the duration of such an invocation: it has a share of a processor, and waits for AWS."""
        return self.before_puts_ms(records) + self.puts(records) * limits.PUT_EVENTS_MS[0]

    def before_puts_ms(self, records: float) -> float:
        """Return the duration without the wait for the bus."""
        turns = ceil(max(1.0, records * self.requests) / limits.REQUESTS_AT_ONCE)
        return self.cpu_ms(records) / self.share + turns * limits.DYNAMODB_MS[0]


@dataclass(frozen=True, slots=True, eq=False)
class FleetModel:
    """A deployed stack; `counted`: what reports make it do, `idle`: what it does without one. Equal to itself alone.

    used: of what is provisioned. received: messages that a queue hands over at once.
    """

    counted: Counted
    idle: Counted
    target: Target = AWS
    used: float = USED / 100
    received: float = limits.RECEIVED_AT_ONCE

    @property
    def throttle(self) -> Throttle:
        """The API's throttle of requests that bring reports."""
        throttles = throttles_of(EQUIPMENT, reports=self.target.reports, quotas=Quotas.of(prices.REGION))
        return throttles[POST if self.counted.fleet.way == Way.POST else PUT]

    def requests(self, name: str) -> float:
        """Return the requests to AWS that a report makes of a function, those to the bus aside."""
        asked = [one.used[name].requests if name in one.used else Counter[str]() for one in (self.counted, self.idle)]
        used, without = (requests.total() - requests["PutEvents"] for requests in asked)
        return max(0.0, used - without) / self.counted.reports

    def records(self, name: str) -> float:
        """Return the records that a report makes for a function."""
        return sum(self.counted.calls[name].records) / self.counted.reports

    def work(self, name: str) -> Work:
        """Return the work of a function for each record."""
        records = max(self.records(name), 1e-9)
        facts = sum(len(facts) for (of, _), facts in self.counted.facts.items() if of == name) / self.counted.reports
        requests, published = self.requests(name) / records, facts / records
        return Work(requests=requests, memory_mb=memory_mb(name), http=role_of(name) in HTTP, published=published)

    def write_units(self) -> dict[TableOrIndex, float]:
        """Return the write units of a report, by place."""
        units: dict[TableOrIndex, float] = defaultdict(float)
        for used in self.counted.used.values():
            for (place, _), count in used.writes.items():
                units[place] += count / self.counted.reports
        return units

    def read_units(self) -> dict[TableOrIndex, float]:
        """Return the read units of a report, by place."""
        units: dict[TableOrIndex, float] = defaultdict(float)
        for counted, sign in ((self.counted, 1), (self.idle, -1)):
            for used in counted.used.values():
                for place, count in used.read_units.items():
                    units[place] += sign * count / self.counted.reports
        return units

    def stored_gb(self, table: str, rate: float) -> float:
        """Return the gigabytes of a table when as much expires as comes, at so many reports a second."""
        return self.counted.row_bytes.get(table, 0) * rate * logs.TTL_DAYS * DAY_S / GB

    def shards(self, rate: float) -> dict[str, int]:
        """Return the partitions of each table, each of which is a shard of its stream: by throughput and by size."""
        found = {}
        for (table, index), units in self.write_units().items():
            if not index:
                by_load = units * rate / limits.PARTITION_WRITES
                by_size = self.stored_gb(table, rate) / limits.PARTITION_GB
                found[table] = ceil(max(_first_partitions(self.target, TableOrIndex(table)), by_load, by_size))
        return found

    def provisioned(self, rate: float) -> tuple[float, float]:
        """Return the write and read capacity of all places, as if the load never jumped, people's reads aside."""
        if not (capacity := self.target.capacity):
            return 0.0, 0.0
        writes, reads = self.write_units(), self.read_units()
        least = {place: capacity.least_of(steady) for place, steady in steady_places().items()}
        return (
            sum(max(one.writes, writes.get(place, 0.0) * rate / self.used) for place, one in least.items()),
            sum(max(one.reads, reads.get(place, 0.0) * rate / self.used) for place, one in least.items()),
        )


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


def _first_partitions(target: Target, table: TableOrIndex) -> float:
    """Return the partitions of a new table, by what it takes at once."""
    new = new_throughput(target, table)
    by_each = new.writes / limits.PARTITION_WRITES, new.reads / limits.PARTITION_READS
    # What is provisioned shares partitions, what is on demand has enough of either.
    return sum(by_each) if target.capacity and table in steady_places() else max(by_each)
