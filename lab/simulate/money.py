"""Dollars of a million reports, by part: what each report makes the deployed stack do, at a rate."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np

from andon.testing.memory.meter import TableOrIndex
from lab import prices
from lab.prices import MILLION
from lab.simulate import limits, receives, recorded
from lab.simulate.capacity import GB, provisioned_places, provisioned_reads, provisioned_writes
from lab.simulate.counted import FunctionCalls
from lab.simulate.grouping import ENVELOPE_BYTES, publishers
from lab.simulate.invocations import batched
from lab.simulate.line import Basis, Line
from lab.simulate.model import FleetModel
from lab.simulate.settings import HTTP, role_of
from lab.simulate.sweeps import row_cpu_ms, rows_of_reports

HOUR_S: Final = 3_600


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
    log_bytes += counted.requests * (limits.ACCESS_LOG_BYTES.value + limits.LOG_EVENT_BYTES.value)
    yield Line("api", prices.API_REQUEST, counted.requests)
    yield from _units(model, rate)
    sent = [(one.facts / one.cut.facts, one.cut.size) for one in publishers(model, rate)]
    yield Line("bus", prices.BUS_ENTRY, sum(entries for entries, _ in sent))
    receiving = Basis.ASSUMED if model.received == limits.RECEIVED_AT_ONCE.value else Basis.COUNTED
    what = f"{prices.QUEUE_REQUEST.of}; {model.received:g} messages in a receive"
    yield Line("queues", prices.QUEUE_REQUEST, receives.of_report(model, rate), receiving, what)
    yield Line("invocations", prices.INVOCATION, invocations)
    yield Line("compute", prices.GB_SECOND, gb_seconds)
    yield Line("logs", prices.LOGGED_GB, log_bytes / GB)
    if model.target.archive_days:
        archived = sum(entries * (size + ENVELOPE_BYTES) for entries, size in sent)
        yield Line("archive", prices.ARCHIVED_GB, archived / GB)
    if model.target.traced:
        yield Line("traces", prices.TRACE, traces)
    yield Line("lake", prices.S3_PUT, recorded.lake_objects(model, rate))
    if model.target.trailed:
        yield Line("trail", prices.DATA_EVENT, recorded.of_a_report(model, rate))


def logged_gb(model: FleetModel, rate: float) -> float:
    """Return the gigabytes of logs of a report."""
    return sum(line.amount for line in of_report(model, rate) if line.price == prices.LOGGED_GB)


def _units(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield units by the request, and those that are provisioned for the second of a report, divided by the rate."""
    yield Line("writes", prices.WRITE_UNIT, _requested(model, model.write_units()))
    yield Line("reads", prices.READ_UNIT, _requested(model, model.read_units()))
    if model.target.capacity:
        hours = 1 / rate / HOUR_S
        yield Line("writes", prices.WRITE_HOUR, provisioned_writes(model, rate) * hours)
        yield Line("reads", prices.READ_HOUR, provisioned_reads(model, rate) * hours)


def _requested(model: FleetModel, units: Mapping[TableOrIndex, float]) -> float:
    """Return the units of a report that are paid by the request."""
    places = provisioned_places(model.target)
    return sum(count for place, count in units.items() if place not in places)


def _functions(model: FleetModel, rate: float) -> tuple[float, float, float, float]:
    """Return a report's invocations, GB-seconds, bytes of logs, and traces; a sweep runs each minute anyway."""
    invocations = gb_seconds = log_bytes = traces = 0.0
    for name, calls in model.counted.calls.items():
        work, records = model.work(name), model.records(name)
        if name.endswith("sweep"):
            rows = rows_of_reports(model).get(name.removesuffix(" sweep"), 0.0)
            seconds = rows * row_cpu_ms(model, name, rows) / 1_000 / work.share if rows else 0.0
        else:
            step = batched(model, name, rate)
            batch = step.batch(records * rate)
            seconds = records / batch * step.work.duration_ms(batch) / 1_000
            invocations += records / batch
            share = model.target.logged_share if role_of(name) in HTTP else 1.0
            log_bytes += records / batch * share * _logged(calls, batch)
            traces += _traced(records / batch * rate) / rate if model.target.traced else 0
        gb_seconds += seconds * work.memory_mb / 1_024
    return invocations, gb_seconds, log_bytes, traces


def _traced(invocations_per_s: float) -> float:
    """Return the traces a second of a function that is called so often."""
    always = min(invocations_per_s, limits.TRACED_PER_S.value)
    return always + (invocations_per_s - always) * limits.TRACED.value


def _logged(calls: FunctionCalls, batch: float) -> float:
    """Return the bytes that an invocation logs: a line grows with what is in its batch."""
    records, written = np.array(calls.records, float), np.array(calls.log_bytes, float)
    if len(set(calls.records)) > 1:
        slope, fixed = np.polyfit(records, written, 1)
        line = float(fixed + slope * batch)
    else:
        line = float(written.mean())
    return line + limits.LOG_EVENT_BYTES.value + limits.PLATFORM_LOG_BYTES.value
