"""Predicts the fate of many machines' reports on AWS, second by second: lag, lateness, partitions, use of limits.

Times are drawn at random for many reports: step by step from the PUT until it is readable, and from a due time until
its decision.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import ceil, log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from andon.cdk.target import Target
from andon.packages.discovery import follower_of_table
from andon.rules import timing
from andon.rules.micro_event_store import STORED_WITHIN_MS
from andon.rules.sweep import EVERY_SECONDS, MARGIN_MS
from andon.testing.memory.meter import TableOrIndex
from lab.simulate import limits
from lab.simulate.batches import Batched, batched, message_to, publishers
from lab.simulate.counted import DUE, EVERY_S, Way
from lab.simulate.limits import Limit
from lab.simulate.model import FleetModel, at_first, memory_mb, new_throughput, provisioned_places, role_of

Numbers = NDArray[np.float64]
"""One for each second, or each draw."""

SEED: Final = 17
DRAWN: Final = 200_000

RETRY_WITHIN_S: Final = 60
"""A device that is refused tries again within so long, at random."""

MACHINES_OF_AN_OPERATOR: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Machines that report. spread_s: within so many seconds of every five minutes; all of it: no clock is in step."""

    machines: int
    hours: float = 24
    spread_s: int = EVERY_S

    @property
    def rate(self) -> float:
        """The mean of reports in a second."""
        return self.machines / EVERY_S


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Reports by the second in which the API took them; `refused`: how often it answered 429 in all."""

    taken: Numbers
    sent: float
    refused: float

    @property
    def busiest(self) -> float:
        """The reports of the busiest second."""
        return float(self.taken.max(initial=0))


def arrivals(load: Load, *, throttle: float, burst: float) -> Arrivals:
    """Return the reports of all hours, second by second; `throttle`: reports a second, `burst`: at once."""
    rng = np.random.default_rng(SEED)
    in_period = np.zeros(EVERY_S)
    in_period[: load.spread_s] = load.machines / load.spread_s
    offered = rng.poisson(np.resize(in_period, round(load.hours * 3_600))).astype(float)
    return _throttled(offered, throttle, burst)


def _throttled(offered: Numbers, rate: float, burst: float) -> Arrivals:
    """Take what a token bucket lets through; what is refused comes again, spread over `RETRY_WITHIN_S`."""
    if offered.max(initial=0) <= rate:
        return Arrivals(offered, float(offered.sum()), 0.0)
    taken, again = np.zeros_like(offered), np.zeros(len(offered) + RETRY_WITHIN_S)
    tokens, refused = burst, 0.0
    for second, new in enumerate(offered):
        tokens = min(tokens, burst) + rate
        wants = new + again[second]
        taken[second] = min(wants, tokens)
        tokens -= taken[second]
        if wants > taken[second]:
            refused += wants - taken[second]
            again[second + 1 : second + 1 + RETRY_WITHIN_S] += (wants - taken[second]) / RETRY_WITHIN_S
    return Arrivals(taken, float(offered.sum()), refused)


def backlog(came: Numbers, capacity: float) -> Numbers:
    """Return the number that waits at the end of each second, if so many can be taken in each."""
    surplus = np.cumsum(came - capacity)
    return surplus - np.minimum(0, np.minimum.accumulate(surplus))


class Times(NamedTuple):
    """Percentiles of a duration, in milliseconds."""

    p50: float
    p99: float
    longest: float

    @classmethod
    def of(cls, drawn: Numbers) -> "Times":
        """Return the percentiles of what was drawn."""
        return cls(*(float(value) for value in np.percentile(drawn, [50, 99, 100])))


class Invocations(NamedTuple):
    """Of one function: calls in a second, records in each, and how many run at a time."""

    per_s: float
    records: float
    at_once: float


class Partition(NamedTuple):
    """The busiest partition of a table or an index: who shares it, and its write units in the busiest second."""

    place: TableOrIndex
    shared_by: str
    units_per_s: float


class LimitUse(NamedTuple):
    """The use of a limit in the busiest second."""

    what: str
    used: float
    limit: Limit

    @property
    def share(self) -> float:
        """1 is all of it."""
        return self.used / self.limit


@dataclass(frozen=True, slots=True)
class Prediction:
    """The model's figures. steps: by name, on the way from PUT to readable. late: by control service.

    due_rows: of a control service, what is due in the busiest minute, and how much the sweeps of a minute can do.
    functions: of sweeps there is a fixed number a minute, which are not in it.
    """

    load: Load
    arrivals: Arrivals
    steps: Mapping[str, Times]
    lag: Times
    late: Mapping[str, Times]
    due_rows: Mapping[str, tuple[float, float]]
    partitions: tuple[Partition, ...]
    functions: Mapping[str, Invocations]
    used: tuple[LimitUse, ...]

    @property
    def most_used(self) -> list[LimitUse]:
        """The limits, the one that gives first before all."""
        return sorted(self.used, key=lambda one: -one.share)

    @property
    def exceeded(self) -> list[LimitUse]:
        """The limits that are not enough."""
        return [one for one in self.used if one.share > 1]


def predict(model: FleetModel, load: Load) -> Prediction:
    """Let the fleet report for all of its hours."""
    throttle, burst = (of / (model.counted.requests or 1) for of in model.throttle)
    if load.rate > throttle or model.counted.fleet.way == Way.MQTT:
        throttle = load.rate * 2  # it is a setting: `used` says that it has to be raised; the broker has none of ours
    came = arrivals(load, throttle=throttle, burst=burst)
    rng = np.random.default_rng(SEED)
    steps = _steps_ms(model, rng, came.taken, load.rate)
    whole = Times.of(np.sum([*steps.values()], axis=0))
    late, due_rows = _lateness(model, rng, came.taken)
    partitions = _busiest_partitions(model, load, came.busiest)
    functions = _invocations(model, load.rate)
    return Prediction(
        load=load,
        arrivals=came,
        steps={name: Times.of(one) for name, one in steps.items()},
        lag=whole,
        late=late,
        due_rows=due_rows,
        partitions=partitions,
        functions=functions,
        used=(
            *_of_api_and_bus(model, load, came.busiest),
            *_of_functions(model, load, came.busiest, functions),
            *_of_sweeps(due_rows),
            *_of_tables(model, load, came.busiest, partitions),
        ),
    )


def _invocations(model: FleetModel, rate: float) -> dict[str, Invocations]:
    found = {}
    for name in model.counted.calls:
        if role_of(name) != "sweep":
            records, step = rate * model.records(name), batched(model, name, rate)
            found[name] = Invocations(step.invocations(records), step.batch(records), step.concurrency(records))
    return found


def _steps_ms(model: FleetModel, rng: np.random.Generator, came: Numbers, rate: float) -> dict[str, Numbers]:
    """Draw each step, by name, of reports by the second they came in."""
    at = rng.choice(len(came), DRAWN, p=came / came.sum())
    drawn: dict[str, Numbers] = {}
    way = model.counted.fleet.way
    if way == Way.MQTT:
        drawn["broker"] = _took_ms(rng, limits.BROKER_MS)
        step = batched(model, "equipment ingest", rate)
        drawn["queue and ingest"] = _took_ms(rng, limits.QUEUE_MS) + _batched_ms(rng, at, came, step, rate)
    else:
        step = batched(model, "equipment command", rate)
        drawn["command"] = _took_ms(rng, limits.DYNAMODB_MS) + step.work.before_puts_ms(1) + _cold_ms(rng, step, rate)
    if way == Way.PUT:  # else the step before publishes
        step, shown = batched(model, "equipment trigger", rate), _took_ms(rng, limits.STREAM_MS)
        drawn["stream and trigger"] = shown + _batched_ms(rng, at, came, step, rate)
    drawn["PutEvents"] = _took_ms(rng, limits.PUT_EVENTS_MS)
    drawn["bus"] = _took_ms(rng, limits.BUS_MS)
    step, received = batched(model, "state_log listener", rate), _took_ms(rng, limits.QUEUE_MS)
    drawn["queue and listener"] = received + _batched_ms(rng, at, came, step, rate)
    drawn["index"] = _took_ms(rng, limits.INDEX_MS)
    return drawn


def _took_ms(rng: np.random.Generator, times: tuple[Limit, Limit]) -> Numbers:
    """Draw durations: lognormal, by its median and its 99th percentile, which is 2.326 standard deviations away."""
    median, slow = times
    return rng.lognormal(log(median), log(slow / median) / 2.326, DRAWN).clip(max=4.0 * slow)


def _batched_ms(rng: np.random.Generator, at: NDArray[np.int64], came: Numbers, step: Batched, rate: float) -> Numbers:
    """Draw the durations of records of the seconds `at` through a step: its queue, its window, its invocation."""
    waits = backlog(came, step.capacity)[at] / step.capacity * 1_000
    window = rng.uniform(0, step.wait_s(rate) * 1_000, DRAWN)
    return waits + window + step.work.before_puts_ms(step.batch(rate)) + _cold_ms(rng, step, rate)


def _cold_ms(rng: np.random.Generator, step: Batched, rate: float) -> Numbers:
    """Draw what cold starts add: each of the instances that run is replaced from time to time."""
    invocations = max(step.invocations(rate), 1e-9)
    share = min(1.0, max(step.concurrency(rate), 1.0) / limits.INSTANCE_LIVES_S / invocations)
    return np.where(rng.random(DRAWN) < share, _took_ms(rng, limits.COLD_MS), 0.0)


def _lateness(
    model: FleetModel, rng: np.random.Generator, came: Numbers
) -> tuple[dict[str, Times], dict[str, tuple[float, float]]]:
    """Draw how long after its time what is due is decided, by service; and its due rows, see `Prediction`."""
    minutes = came[: len(came) // EVERY_SECONDS * EVERY_SECONDS].reshape(-1, EVERY_SECONDS).sum(axis=1)
    late, due_rows = {}, {}
    for name, of_report in rows_of_reports(model).items():
        rows, capacity = minutes * of_report, _sweep_capacity(model, f"{name} sweep", of_report)
        at = rng.choice(len(rows), DRAWN, p=rows / rows.sum())
        ahead = backlog(rows, capacity)[at] + rng.uniform(0, np.maximum(1, rows[at]))
        sweeps, in_sweep = np.divmod(ahead, capacity)
        late[name] = Times.of(
            STORED_WITHIN_MS
            + rng.uniform(0, EVERY_SECONDS * 1_000, DRAWN)
            + _took_ms(rng, limits.SCHEDULE_LATE_MS)
            + sweeps * EVERY_SECONDS * 1_000
            + in_sweep / capacity * (EVERY_SECONDS * 1_000 - MARGIN_MS)
        )
        due_rows[name] = float(rows.max(initial=0)), capacity
    return late, due_rows


def rows_of_reports(model: FleetModel) -> dict[str, float]:
    """Return the rows that the sweep of each control service takes out for a report."""
    taken = model.counted.late_ms.items()
    return {follower_of_table(table)[0].name: len(found) / model.counted.reports for table, found in taken}


def row_cpu_ms(model: FleetModel, name: str, rows: float) -> float:
    """Return the CPU of a row that is due, of one of Lambda's processors; `rows`: of a report."""
    requests = model.requests(name) / rows
    own = limits.CPU_PER_EVALUATION_MS + requests * limits.CPU_PER_REQUEST_SWEPT_MS
    return own * limits.LAMBDA_SLOWER


def _sweep_capacity(model: FleetModel, name: str, rows: float) -> float:
    """Return the rows that the sweeps of a minute can do: by CPU, or by waiting for AWS, whichever takes longer."""
    by_cpu = row_cpu_ms(model, name, rows) / min(1.0, memory_mb(name) / limits.MB_PER_CPU)
    by_waiting = model.requests(name) / rows * limits.DYNAMODB_MS[0] / limits.REQUESTS_AT_ONCE
    return model.target.sweeps_at_once * (EVERY_SECONDS * 1_000 - MARGIN_MS) / max(by_cpu, by_waiting)


def _busiest_partitions(model: FleetModel, load: Load, busiest: float) -> tuple[Partition, ...]:
    """Return the busiest partition of each table and index, the busiest first."""
    units: dict[tuple[TableOrIndex, str], float] = defaultdict(float)
    for used in model.counted.used.values():
        for (place, key), count in used.writes.items():
            units[place, _kind_of(key)] += count / model.counted.reports
    best: dict[TableOrIndex, Partition] = {}
    for (place, kind), per_report in units.items():
        if kind == "machine":
            per_s = float(ceil(per_report))  # a machine reports once in five minutes
        elif kind == DUE:
            per_s = per_report * max(busiest, load.rate) * _largest_share(load.machines)
        elif place.index_name == "GSI1":
            per_s = per_report * busiest * MACHINES_OF_AN_OPERATOR / load.machines
        else:
            per_s = per_report * busiest
        if place not in best or best[place].units_per_s < per_s:
            best[place] = Partition(place, kind, per_s)
    return tuple(sorted(best.values(), key=lambda one: -one.units_per_s))


def _kind_of(key: str) -> str:
    """Return the kind of those that share a partition, by its key."""
    if re.search(r"press-\d+", key):
        return "machine"
    if key.startswith(DUE):
        return DUE
    return "factory" if key.startswith("Factory") else key


@cache
def _largest_share(machines: int) -> float:
    """Return the share of all machines whose due times lie in the fullest shard, by the code that chooses it."""
    counts = Counter(timing.shard_of(f"Equipment#press-{number:07d}") for number in range(machines))
    return max(counts.values()) / machines


def named(place: TableOrIndex) -> str:
    """Return a table, with its index, as it is printed."""
    return ", ".join(filter(None, place))


def _of_api_and_bus(model: FleetModel, load: Load, busiest: float) -> Iterator[LimitUse]:
    counted = model.counted
    own_throttle = Limit(model.throttle.per_second, limits.THROTTLES, "the API's own throttle")
    yield LimitUse("requests/s of the API, its own throttle", load.rate * counted.requests, own_throttle)
    yield LimitUse("requests/s of the account's API Gateway", busiest * counted.requests, limits.API_RATE)
    entries = sum(one.facts / one.cut.facts for one in publishers(model, load.rate))
    yield LimitUse("entries/s onto the bus", entries * busiest, limits.BUS_ENTRIES)
    delivered = sum(counted.facts_to(to) / message_to(model, to, load.rate).facts for to in counted.subscribers)
    yield LimitUse("deliveries/s from the bus to queues", delivered * busiest, limits.BUS_DELIVERIES)


def _of_functions(
    model: FleetModel, load: Load, busiest: float, functions: Mapping[str, Invocations]
) -> Iterator[LimitUse]:
    """Yield the use of the account's concurrency, and of what each function's own lets through."""
    peak = busiest / load.rate if load.rate else 1.0
    at_once = sum(one.at_once for one in functions.values())
    yield LimitUse("Lambda invocations at a time", at_once * peak, limits.CONCURRENCY)
    for name in functions:
        if role_of(name) != "command":
            capacity = batched(model, name, load.rate).capacity
            own = Limit(capacity, "library/andon/cdk/target.py", f"concurrency of {name}")
            yield LimitUse(f"records/s of {name}", model.records(name) * load.rate, own)


def _of_sweeps(due_rows: Mapping[str, tuple[float, float]]) -> Iterator[LimitUse]:
    for name, (per_minute, at_most) in due_rows.items():
        limit = Limit(at_most, "andon/rules/sweep.py, docs/benchmarks.md", f"memory of {name}'s sweep")
        yield LimitUse(f"rows a minute of {name}'s sweep", per_minute, limit)


def _of_tables(model: FleetModel, load: Load, busiest: float, partitions: tuple[Partition, ...]) -> Iterator[LimitUse]:
    """Yield the use of the busiest partitions, of each table and index, and of all that is provisioned."""
    for one in partitions:
        what = f"write units/s of {named(one.place)}, partition of one {one.shared_by}"
        yield LimitUse(what, one.units_per_s, limits.PARTITION_WRITES)
    for place, units in model.write_units().items():
        new, grown = _writes_of(model.target, place)
        yield LimitUse(f"write units/s of {named(place)}, when it is new", units * busiest, new)
        yield LimitUse(f"write units/s of {named(place)}", units * busiest, grown)
    if model.target.capacity:
        first, writes = at_first(model.target).writes, model.provisioned(load.rate)[0]
        yield LimitUse("write units/s of all tables, when they are new", first, limits.ACCOUNT_WRITES)
        yield LimitUse("write units/s of all tables", writes, limits.ACCOUNT_WRITES)


def _writes_of(target: Target, place: TableOrIndex) -> tuple[Limit, Limit]:
    """Return the write units that a place takes at first, and once it has grown."""
    new, capacity = new_throughput(target, place).writes, target.capacity
    if capacity is None or place not in provisioned_places(target):
        grown = limits.NEW_TABLE_WRITES
        return Limit(new, grown.source, grown.quota), limits.TABLE_WRITES
    source, what = "library/andon/cdk/capacity.py", "provisioned capacity"
    return Limit(new, source, f"{what} at first"), Limit(capacity.most, source, f"{what}, by reportsPerSecond")
