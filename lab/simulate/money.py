"""Dollars of a million reports, by part: what each makes the deployed stack do, at a rate; and those of a month."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np
from aws_cdk.aws_logs import RetentionDays

from andon.cdk.capacity import NEW, ON_DEMAND, PROVISIONED, Throughput, warm
from andon.packages.discovery import views
from andon.testing.memory.meter import TableOrIndex
from lab import prices
from lab.metered import HTTP
from lab.prices import MILLION, Basis, Line, total
from lab.simulate import limits
from lab.simulate.batches import ENVELOPE_BYTES, batched, publishers, queue_requests
from lab.simulate.counted import Counted, FunctionCalls
from lab.simulate.idle import alarms_of_scaling, idle
from lab.simulate.model import (
    DAY_S,
    GB,
    HOUR_S,
    MONTH_S,
    YEAR_DAYS,
    FleetModel,
    at_first,
    provisioned_places,
    role_of,
    steady_places,
    target_of,
)
from lab.simulate.prediction import row_cpu_ms, rows_of_reports
from lab.simulate.recorded import ARCHIVE_BYTES, LAKE_BYTES, lake_facts, lake_objects, recorded_requests, recording

LOG_MONTHS: Final = {RetentionDays.ONE_MONTH: 1, RetentionDays.THREE_MONTHS: 3}

QUIET: Final = (0.0, 3.3, 33.0, 200.0)
BEFORE: Final = 1_600
"""Units of reads, and of writes, that each steady place once began with, whatever it is used for."""


class Parts(NamedTuple):
    """Dollars by what is paid for."""

    api: float = 0
    writes: float = 0
    reads: float = 0
    bus: float = 0
    queues: float = 0
    invocations: float = 0
    compute: float = 0
    logs: float = 0
    archive: float = 0
    traces: float = 0
    lake: float = 0
    trail: float = 0

    @property
    def total(self) -> float:
        """All of it."""
        return sum(self)

    @classmethod
    def of(cls, lines: Iterable[Line]) -> "Parts":
        """Return the sums of lines."""
        dollars = dict.fromkeys(cls._fields, 0.0)
        for line in lines:
            dollars[line.part] += line.dollars
        return cls(**dollars)


def of_a_million(model: FleetModel, rate: float) -> Parts:
    """Return the price of a million reports at so many a second: the faster they come, the fuller batches are."""
    return Parts.of(line.times(MILLION) for line in of_report(model, rate))


def of_report(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield the lines of one report, some in so many a second."""
    counted = model.counted
    invocations, gb_seconds, log_bytes, traces = _functions(model, rate)
    log_bytes += counted.requests * (limits.ACCESS_LOG_BYTES + limits.LOG_EVENT_BYTES)
    yield Line("api", prices.API_REQUEST, counted.requests)
    yield from _units(model, rate)
    sent = [(one.facts / one.cut.facts, one.cut.size) for one in publishers(model, rate)]
    yield Line("bus", prices.BUS_ENTRY, sum(entries for entries, _ in sent))
    receiving = Basis.ASSUMED if model.received == limits.RECEIVED_AT_ONCE else Basis.COUNTED
    what = f"{prices.QUEUE_REQUEST.of}; {model.received:g} messages in a receive"
    yield Line("queues", prices.QUEUE_REQUEST, queue_requests(model, rate), receiving, what)
    yield Line("invocations", prices.INVOCATION, invocations)
    yield Line("compute", prices.GB_SECOND, gb_seconds)
    yield Line("logs", prices.LOGGED_GB, log_bytes / GB)
    if model.target.archive_days:
        yield Line("archive", prices.ARCHIVED_GB, _archived_bytes(model, rate) / GB)
    if model.target.stage.traced:
        yield Line("traces", prices.TRACE, traces)
    yield Line("lake", prices.S3_PUT, lake_objects(model, rate))
    if model.target.stage.data_trail:
        yield Line("trail", prices.DATA_EVENT, recorded_requests(model, rate))


def _archived_bytes(model: FleetModel, rate: float) -> float:
    return sum(one.facts / one.cut.facts * (one.cut.size + ENVELOPE_BYTES) for one in publishers(model, rate))


def _units(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield units by the request, and those that are provisioned for the second of a report, divided by the rate."""
    yield Line("writes", prices.WRITE_UNIT, _requested(model, model.write_units()))
    yield Line("reads", prices.READ_UNIT, _requested(model, model.read_units()))
    if model.target.capacity:
        writes, reads = model.provisioned(rate)
        hours = 1 / rate / HOUR_S
        yield Line("writes", prices.WRITE_HOUR, writes * hours)
        yield Line("reads", prices.READ_HOUR, reads * hours)


def _requested(model: FleetModel, units: Mapping[TableOrIndex, float]) -> float:
    """Return the units of a report that are paid by the request."""
    places = provisioned_places(model.target)
    return sum(count for place, count in units.items() if place not in places)


def _functions(model: FleetModel, rate: float) -> tuple[float, float, float, float]:
    """Return a report's invocations, GB-seconds, bytes of logs, and traces; a sweep runs each minute anyway."""
    invocations = gb_seconds = log_bytes = traces = 0.0
    for name, calls in model.counted.calls.items():
        work, records, role = model.work(name), model.records(name), role_of(name)
        if role == "sweep":
            rows = rows_of_reports(model).get(name.removesuffix(" sweep"), 0.0)
            seconds = rows * row_cpu_ms(model, name, rows) / 1_000 / work.share if rows else 0.0
        else:
            step = batched(model, name, rate)
            batch = step.batch(records * rate)
            seconds = records / batch * step.work.duration_ms(batch) / 1_000
            invocations += records / batch
            share = model.target.logged_share if role in HTTP else 1.0
            log_bytes += records / batch * share * _logged(calls, batch)
            traces += _traced(records / batch * rate) / rate if model.target.stage.traced else 0
        gb_seconds += seconds * work.memory_mb / 1_024
    return invocations, gb_seconds, log_bytes, traces


def _traced(invocations_per_s: float) -> float:
    """Return the traces a second of a function that is called so often."""
    always = min(invocations_per_s, limits.TRACED_PER_S)
    return always + (invocations_per_s - always) * limits.TRACED


def _logged(calls: FunctionCalls, batch: float) -> float:
    """Return the bytes that an invocation logs: a line grows with what is in its batch."""
    records, written = np.array(calls.records, float), np.array(calls.log_bytes, float)
    if len(set(calls.records)) > 1:
        slope, fixed = np.polyfit(records, written, 1)
        line = float(fixed + slope * batch)
    else:
        line = float(written.mean())
    return line + limits.LOG_EVENT_BYTES + limits.PLATFORM_LOG_BYTES


def reports(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield the lines of a month's reports."""
    yield from (line.times(rate * MONTH_S) for line in of_report(model, rate))


def kept(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield what is kept, in gigabytes a month: once as much expires as comes, lake and archive after a year."""
    stored = {table: model.stored_gb(table, rate) for table in model.counted.row_bytes}
    of_views = {table for package in views() for table in package.tables}
    yield Line("kept", prices.TABLE_GB, sum(stored.values()))
    yield Line("kept", prices.BACKUP_GB, sum(size for table, size in stored.items() if table not in of_views))
    events = lake_facts(model) * rate * YEAR_DAYS * DAY_S
    yield Line("kept", prices.LAKE_GB, events * LAKE_BYTES / GB, what=f"{prices.LAKE_GB.of}: the lake")
    yield Line("kept", prices.LAKE_GB, events * ARCHIVE_BYTES / GB, what=f"{prices.LAKE_GB.of}: the archive")
    if days := model.target.archive_days:
        yield Line("kept", prices.ARCHIVE_GB, rate * days * DAY_S * _archived_bytes(model, rate) / GB)
    logged = sum(line.amount for line in reports(model, rate) if line.price == prices.LOGGED_GB)
    logs = logged * LOG_MONTHS[model.target.log_retention] * limits.COMPRESSED_LOG
    yield Line("kept", prices.LOG_GB, logs, Basis.ASSUMED)


class Month(NamedTuple):
    """Dollars a month: of reports and their recording, of what is kept, and of what there is however few report."""

    reports: float
    recording: float
    kept: float
    idle: float

    @property
    def total(self) -> float:
        """All of it."""
        return sum(self)


def of_a_month(model: FleetModel, rate: float) -> Month:
    """Return the price of a month without devices and people, once as much expires as comes."""
    return Month(*(total(part(model, rate)) for part in (reports, recording, kept, idle)))


def quiet(counted: Counted, idle: Counted) -> dict[str, list[float]]:
    """Return the dollars of capacity in a quiet month, at the rates `QUIET`, by the stage's choice.

    A place that nobody uses at all is never scaled down: see docs/deploy.md. So a choice has two prices.
    """
    on_demand, provisioned = (
        FleetModel(counted, idle, target_of("prod", capacity=mode)) for mode in (ON_DEMAND, PROVISIONED)
    )
    before = BEFORE * len(steady_places())
    return {
        "on demand": [_units_of_a_month(on_demand, rate) for rate in QUIET],
        "provisioned, and it follows the load": [_units_of_a_month(provisioned, rate) for rate in QUIET],
        "… if nothing scales down what it begins with": [_always(at_first(provisioned.target), provisioned)] * 4,
        f"… if that were {BEFORE:,} of both, as it was": [_always(Throughput(before, before), provisioned)] * 4,
    }


def quiet_lines(counted: Counted, idle: Counted) -> Iterator[str]:
    """Yield the choices as a table."""
    yield f"{'capacity of steady tables, $ a month':<50}" + "".join(f"{f'{rate:g}/s':>12}" for rate in QUIET)
    for choice, dollars in quiet(counted, idle).items():
        yield f"  {choice:<48}" + "".join(f"{one:>12,.2f}" for one in dollars)
    yield f"  warm throughput at a million machines, once: ${warming(2 * 1e6 / 300):,.2f}"


def warming(reports_per_second: float) -> float:
    """Return what it costs once that places take at once what a stage is made for."""
    asked = [one for place in steady_places().values() if (one := warm(place, reports_per_second))]
    writes, reads = sum(one.writes - NEW.writes for one in asked), sum(one.reads - NEW.reads for one in asked)
    return prices.WARM_WRITE.for_(writes) + prices.WARM_READ.for_(reads)


def _units_of_a_month(model: FleetModel, rate: float) -> float:
    """Return the dollars of a month's units; of no reports as of very few, for capacity is paid by the hour."""
    units = total(line for line in reports(model, rate or 1e-9) if line.part in {"reads", "writes"})
    return units + prices.ALARM.for_(alarms_of_scaling(model))


def _always(units: Throughput, model: FleetModel) -> float:
    hourly = prices.WRITE_HOUR.for_(units.writes) + prices.READ_HOUR.for_(units.reads)
    return hourly * (MONTH_S / HOUR_S) + prices.ALARM.for_(alarms_of_scaling(model))
