"""What becomes of the reports of many machines on AWS: lag, lateness, partitions, concurrency, and what gives first."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np

from local.simulate import limits
from local.simulate.arrivals import Arrivals, Load, Seconds, arrivals
from local.simulate.counted_aws import DUE, Place
from local.simulate.limits import Limit
from local.simulate.sample import Counted
from local.simulate.settings import HTTP, STREAMED, Settings, memory_mb, role_of
from local.simulate.steps import Batched, Ms, Work, backlog, batched_ms, cold_ms, took_ms
from patterns.packages.discovery import follower_of_table, packages, views
from patterns.rules import due
from patterns.rules.micro_event_store import STORED_WITHIN_MS
from patterns.rules.sweep import MARGIN_MS

DRAWN: Final = 200_000
SWEEP_EVERY_S: Final = 60
ROW_DAYS: Final = 33
MACHINES_OF_AN_OPERATOR: Final = 100
MACHINE: Final = re.compile(r"press-\d+")
GB: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Times:
    """How long something takes, in milliseconds."""

    p50: float
    p99: float
    longest: float

    @classmethod
    def of(cls, drawn: Ms) -> "Times":
        """Return the percentiles of what was drawn."""
        return cls(*(float(value) for value in np.percentile(drawn, [50, 99, 100])))


@dataclass(frozen=True, slots=True)
class Partition:
    """The busiest partition of a table or an index: who shares it, and its write units in the busiest second."""

    place: Place
    shared_by: str
    units_per_s: float


@dataclass(frozen=True, slots=True)
class Used:
    """How much of a limit is used in the busiest second."""

    what: str
    used: float
    limit: Limit

    @property
    def share(self) -> float:
        """1 is all of it."""
        return self.used / self.limit.value


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the model says. steps: by name, on the way from PUT to readable. late: by control service."""

    load: Load
    arrivals: Arrivals
    steps: Mapping[str, Times]
    lag: Times
    late: Mapping[str, Times]
    due_per_minute: Mapping[str, tuple[float, float]]  # rows, and how many its sweep can do
    partitions: tuple[Partition, ...]
    functions: Mapping[str, tuple[float, float, float]]  # invocations/s, records in each, concurrency
    used: tuple[Used, ...]
    shards: Mapping[str, int]

    @property
    def first(self) -> Used:
        """The limit that gives first."""
        return max(self.used, key=lambda one: one.share)

    @property
    def exceeded(self) -> list[Used]:
        """The limits that are not enough."""
        return [one for one in self.used if one.share > 1]


class Model:
    """The deployed stack under a load; `counted`: what a report makes it do, `idle`: what it does without one."""

    def __init__(self, counted: Counted, idle: Counted, settings: Settings) -> None:
        self.counted, self.idle, self.settings = counted, idle, settings

    def requests(self, name: str) -> float:
        """Return the requests to AWS that a report makes of a function."""
        used = self.counted.used[name].requests.total()
        without = self.idle.used[name].requests.total() if name in self.idle.used else 0
        return max(0.0, used - without) / self.counted.reports

    def records(self, name: str) -> float:
        """Return the records that a report makes for a function."""
        return sum(self.counted.calls[name].records) / self.counted.reports

    def work(self, name: str) -> Work:
        """Return what a function does for each record."""
        records = max(self.records(name), 1e-9)
        http = role_of(name) in HTTP
        return Work(name=name, requests=self.requests(name) / records, memory_mb=memory_mb(name), http=http)

    def batched(self, name: str, rate: float) -> Batched:
        """Return how records reach a function at so many reports a second."""
        role = role_of(name)
        if role in STREAMED:
            size, window = self.settings.stream
            shards = self.shards(rate)[_table_of(name)]
            poll_s = 1 / limits.STREAM_POLLS_PER_S.value
            return Batched(
                work=self.work(name), lanes=shards, at_a_time=shards, size=size, window_s=max(window, poll_s)
            )
        if role == "listener":
            size, window = self.settings.queue
            at_a_time, pollers = self.settings.listeners, round(limits.QUEUE_POLLERS.value)
            receive_s = limits.QUEUE_MS[0].value / 1_000
            lanes = min(pollers, at_a_time)
            return Batched(
                work=self.work(name), lanes=lanes, at_a_time=at_a_time, size=size, window_s=max(window, receive_s)
            )
        work = self.work(name)
        at_a_time = round(limits.CONCURRENCY.value)
        return Batched(work=work, lanes=1, at_a_time=at_a_time, size=1, window_s=0)

    def shards(self, rate: float) -> dict[str, int]:
        """Return the partitions of each table, each of which is a shard of its stream: by throughput and by size."""
        writes: Counter[str] = Counter()
        for used in self.counted.used.values():
            for (place, _), units in used.writes.items():
                if not place.index_name:
                    writes[place.table] += units
        return {
            table: ceil(
                max(
                    self._first_partitions(table),
                    units / self.counted.reports * rate / limits.PARTITION_WRITES.value,
                    self.stored_gb(table, rate) / limits.PARTITION_GB.value,
                )
            )
            for table, units in writes.items()
        }

    def _first_partitions(self, table: str) -> float:
        """Return the partitions of a new table, by what it takes at once."""
        capacity = self.settings.capacity
        if capacity is None or Place(table) not in self.provisioned_places():
            return limits.NEW_TABLE_WRITES.value / limits.PARTITION_WRITES.value
        return capacity.first / limits.PARTITION_WRITES.value + capacity.first / limits.PARTITION_READS.value

    def provisioned_places(self) -> frozenset[Place]:
        """Return the tables, and their indexes, whose capacity is provisioned."""
        if self.settings.capacity is None:
            return frozenset()
        schemas = [one for package in packages() for one in package.tables.items()]
        return frozenset(
            Place(table, index) for table, schema in schemas if schema.steady for index in ("", *schema.indexes)
        )

    def provisioned_writes(self, rate: float) -> float:
        """Return the write capacity of all places at so many reports a second, as if the load never jumped."""
        units = self.write_units()
        return sum(self._followed(units.get(place, 0.0) * rate, self._least) for place in self.provisioned_places())

    def provisioned_reads(self, rate: float) -> float:
        """Return the read capacity of all places at so many reports a second, people's reads aside."""
        units, shown = self.read_units(), self.settings.capacity.shown if self.settings.capacity else 0
        return sum(
            self._followed(units.get(place, 0.0) * rate, shown if place in TABLES_OF_VIEWS else self._least)
            for place in self.provisioned_places()
        )

    def _followed(self, used: float, least: float) -> float:
        return max(least, used / self.settings.used)

    @property
    def _least(self) -> int:
        return self.settings.capacity.least if self.settings.capacity else 0

    def write_units(self) -> dict[Place, float]:
        """Return the write units of a report, by place."""
        units: dict[Place, float] = defaultdict(float)
        for used in self.counted.used.values():
            for (place, _), count in used.writes.items():
                units[place] += count / self.counted.reports
        return units

    def read_units(self) -> dict[Place, float]:
        """Return the read units of a report, by place."""
        units: dict[Place, float] = defaultdict(float)
        for counted, sign in ((self.counted, 1), (self.idle, -1)):
            for used in counted.used.values():
                for place, count in used.read_units.items():
                    units[place] += sign * count / self.counted.reports
        return units

    def stored_gb(self, table: str, rate: float) -> float:
        """Return what lies in a table when as much expires as comes."""
        return self.counted.row_bytes.get(table, 0) * rate * ROW_DAYS * 86_400 / GB

    def predict(self, load: Load) -> Prediction:
        """Let the fleet report for all of its hours."""
        throttle = self.settings.api_rate / self.counted.requests
        if load.rate > throttle:
            throttle = load.rate * 2  # it is a setting; `used` says that it has to be raised
        came = arrivals(load, throttle=throttle)
        rng = np.random.default_rng(17)
        busiest = float(came.taken.max(initial=0))
        steps, lag = self._lag(rng, came.taken, load.rate)
        late, due_rows = self._lateness(rng, came.taken)
        partitions = self._partitions(load, came.taken)
        functions = self._functions(load.rate)
        return Prediction(
            load=load,
            arrivals=came,
            steps=steps,
            lag=lag,
            late=late,
            due_per_minute=due_rows,
            partitions=partitions,
            functions=functions,
            used=tuple(self._used(load, busiest, partitions, functions, due_rows)),
            shards=self.shards(load.rate),
        )

    def _lag(self, rng: np.random.Generator, came: Seconds, rate: float) -> tuple[dict[str, Times], Times]:
        """Draw reports by the second in which they came, and add up what each step takes."""
        at = rng.choice(len(came), DRAWN, p=came / came.sum())
        fleet = self.counted.fleet
        drawn: dict[str, Ms] = {}
        command = self.batched("equipment command", rate)
        drawn["command"] = took_ms(rng, DRAWN, limits.DYNAMODB_MS) + command.work.duration_ms(1)
        drawn["command"] += cold_ms(rng, DRAWN, command, rate)
        if not fleet.batched:
            trigger = self.batched("equipment trigger", rate)
            drawn["stream and trigger"] = took_ms(rng, DRAWN, limits.STREAM_MS) + batched_ms(
                rng, at, came, trigger, rate
            )
            drawn["PutEvents"] = took_ms(rng, DRAWN, limits.PUT_EVENTS_MS)
        drawn["bus"] = took_ms(rng, DRAWN, limits.BUS_MS)
        listener = self.batched("state_log listener", rate)
        drawn["queue and listener"] = took_ms(rng, DRAWN, limits.QUEUE_MS) + batched_ms(rng, at, came, listener, rate)
        drawn["index"] = took_ms(rng, DRAWN, limits.INDEX_MS)
        return {name: Times.of(one) for name, one in drawn.items()}, Times.of(np.sum([*drawn.values()], axis=0))

    def _lateness(
        self, rng: np.random.Generator, came: Seconds
    ) -> tuple[dict[str, Times], dict[str, tuple[float, float]]]:
        """Draw how long after its time what is due is decided, by service."""
        minutes = came[: len(came) // SWEEP_EVERY_S * SWEEP_EVERY_S].reshape(-1, SWEEP_EVERY_S).sum(axis=1)
        late, rows_of = {}, {}
        for table, found in self.counted.late_ms.items():
            package, _ = follower_of_table(table)
            rows = minutes * len(found) / self.counted.reports
            capacity = self.sweep_capacity(f"{package.name} sweep", len(found) / self.counted.reports)
            waiting = backlog(rows, capacity)
            at = rng.choice(len(rows), DRAWN, p=rows / rows.sum())
            ahead = waiting[at] + rng.uniform(0, np.maximum(1, rows[at]))
            sweeps, in_sweep = np.divmod(ahead, capacity)
            late[package.name] = Times.of(
                STORED_WITHIN_MS
                + rng.uniform(0, SWEEP_EVERY_S * 1_000, DRAWN)
                + took_ms(rng, DRAWN, limits.SCHEDULE_LATE_MS)
                + sweeps * SWEEP_EVERY_S * 1_000
                + in_sweep / capacity * (SWEEP_EVERY_S * 1_000 - MARGIN_MS)
            )
            rows_of[package.name] = (float(rows.max(initial=0)), capacity)
        return late, rows_of

    def rows_of_report(self, name: str) -> float:
        """Return the rows that a sweep takes out for a report."""
        for table, found in self.counted.late_ms.items():
            package, _ = follower_of_table(table)
            if name == f"{package.name} sweep":
                return len(found) / self.counted.reports
        return 0.0

    def sweep_capacity(self, name: str, rows_of_report: float) -> float:
        """Return the rows that the sweeps of a minute can do: by CPU, or by waiting for AWS, whichever takes longer."""
        share = min(1.0, memory_mb(name) / limits.MB_PER_CPU.value)
        by_cpu = self.row_cpu_ms(name, rows_of_report) / share
        by_waiting = self.requests(name) / rows_of_report * limits.DYNAMODB_MS[0].value / limits.REQUESTS_AT_ONCE.value
        return self.settings.sweeps_at_once * (SWEEP_EVERY_S * 1_000 - MARGIN_MS) / max(by_cpu, by_waiting)

    def row_cpu_ms(self, name: str, rows_of_report: float) -> float:
        """Return the CPU of a row that is due, of one of Lambda's processors."""
        requests = self.requests(name) / rows_of_report
        own = limits.CPU_PER_EVALUATION_MS.value + requests * limits.CPU_PER_REQUEST_SWEPT_MS.value
        return own * limits.LAMBDA_SLOWER.value

    def _partitions(self, load: Load, came: Seconds) -> tuple[Partition, ...]:
        """Return the busiest partition of each table and index."""
        busiest = float(came.max(initial=0))
        busiest_minute = max(busiest, load.rate)
        units: dict[tuple[Place, str], float] = defaultdict(float)
        for used in self.counted.used.values():
            for (place, key), count in used.writes.items():
                units[place, _kind_of(key)] += count / self.counted.reports
        found = []
        for (place, kind), per_report in units.items():
            if kind == "machine":
                per_s = float(ceil(per_report))  # a machine reports once in five minutes
            elif kind == DUE:
                per_s = per_report * busiest_minute * _largest_share(load.machines)
            elif place.index_name == "GSI1":
                per_s = per_report * busiest * MACHINES_OF_AN_OPERATOR / load.machines
            else:
                per_s = per_report * busiest
            found.append(Partition(place, kind, per_s))
        best: dict[Place, Partition] = {}
        for one in found:
            if one.place not in best or best[one.place].units_per_s < one.units_per_s:
                best[one.place] = one
        return tuple(sorted(best.values(), key=lambda one: -one.units_per_s))

    def _functions(self, rate: float) -> dict[str, tuple[float, float, float]]:
        functions = {}
        for name in self.counted.calls:
            if name.endswith("sweep"):
                continue
            records = rate * self.records(name)
            step = self.batched(name, rate)
            functions[name] = (step.invocations(records), step.batch(records), step.concurrency(records))
        return functions

    def _used(
        self,
        load: Load,
        busiest: float,
        partitions: tuple[Partition, ...],
        functions: Mapping[str, tuple[float, float, float]],
        due_rows: Mapping[str, tuple[float, float]],
    ) -> list[Used]:
        counted, reports = self.counted, self.counted.reports
        entries = sum(used.entries for used in counted.used.values()) / reports
        deliveries = sum(counted.published.values()) / reports
        requests = busiest * counted.requests
        peak = busiest / load.rate if load.rate else 1.0
        own_throttle = Limit(self.settings.api_rate, "infra/api.py", "the API's own throttle")
        used = [
            Used("requests/s of the API, its own throttle", load.rate * counted.requests, own_throttle),
            Used("requests/s of the account's API Gateway", requests, limits.API_RATE),
            Used("events/s onto the bus", entries * busiest, limits.BUS_ENTRIES),
            Used("deliveries/s from the bus to queues", deliveries * busiest, limits.BUS_DELIVERIES),
            Used("Lambda invocations at a time", sum(one[2] for one in functions.values()) * peak, limits.CONCURRENCY),
        ]
        for name in functions:
            if not name.endswith("command"):
                step = self.batched(name, load.rate)
                own = Limit(step.capacity, "infra/target.py", f"concurrency of {name}")
                used.append(Used(f"records/s of {name}", self.records(name) * load.rate, own))
        for name, (rows, capacity) in due_rows.items():
            used.append(
                Used(
                    f"rows a minute of {name}'s sweep",
                    rows,
                    Limit(capacity, MARGIN_SOURCE, f"memory of {name}'s sweep"),
                )
            )
        for one in partitions:
            where = ", ".join(filter(None, one.place))
            used.append(
                Used(
                    f"write units/s of {where}, partition of one {one.shared_by}",
                    one.units_per_s,
                    limits.PARTITION_WRITES,
                )
            )
        for place, units in self.write_units().items():
            where = ", ".join(filter(None, place))
            new, grown = self._writes_of(place)
            used.append(Used(f"write units/s of {where}, when it is new", units * busiest, new))
            used.append(Used(f"write units/s of {where}", units * busiest, grown))
        used += self._used_of_account(load.rate)
        return used

    def _used_of_account(self, rate: float) -> Iterator[Used]:
        """Yield what all provisioned tables have together, at first and at so many reports a second."""
        if capacity := self.settings.capacity:
            first = capacity.first * len(self.provisioned_places())
            yield Used("write units/s of all tables, when they are new", first, limits.ACCOUNT_WRITES)
            yield Used("write units/s of all tables", self.provisioned_writes(rate), limits.ACCOUNT_WRITES)

    def _writes_of(self, place: Place) -> tuple[Limit, Limit]:
        """Return what a place takes at first, and what it takes once it has grown."""
        capacity = self.settings.capacity
        if capacity is None or place not in self.provisioned_places():
            return limits.NEW_TABLE_WRITES, limits.TABLE_WRITES
        return Limit(capacity.first, CAPACITY, AT_FIRST), Limit(capacity.most, CAPACITY, AT_MOST)


TABLES_OF_VIEWS: Final = frozenset(Place(table) for package in views() for table in package.tables)
CAPACITY: Final = "infra/capacity.py"
AT_FIRST: Final = "provisioned capacity at first"
AT_MOST: Final = "provisioned capacity, by reportsPerSecond"
MARGIN_SOURCE: Final = "patterns/rules/sweep.py, docs/benchmarks.md"


def _table_of(name: str) -> str:
    """Return the table whose stream a trigger or a push follows."""
    tables = [table for package in packages() for table, schema in package.tables.items() if schema.stream]
    return next(table for table in tables if _follower_of(table) == name)


def _follower_of(table: str) -> str:
    package, role = follower_of_table(table)
    return f"{package.name} {role}"


def _kind_of(key: str) -> str:
    """Return who shares a partition, by its key."""
    if MACHINE.search(key):
        return "machine"
    if key.startswith(DUE):
        return DUE
    return "factory" if key.startswith("Factory") else key


def _largest_share(machines: int) -> float:
    """Return the share of all machines whose due times lie in the fullest shard, by the code that chooses it."""
    counts = Counter(due.shard_of(f"Equipment#press-{number:07d}") for number in range(machines))
    return max(counts.values()) / machines
