"""Dollars: what a million reports cost by part, and what a month costs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from andon.testing.memory.meter import TableOrIndex
from andon.tools.figures import ALARMS_OF_POLICY, KEPT
from bench import prices
from bench.simulate import limits, recorded
from bench.simulate.batches import batched
from bench.simulate.capacity import (
    GB,
    TABLES_OF_VIEWS,
    provisioned_places,
    provisioned_reads,
    provisioned_writes,
    stored_gb,
)
from bench.simulate.counted import FILTERS, UNSAMPLED, FunctionCalls
from bench.simulate.model import FleetModel
from bench.simulate.recorded import ENVELOPE_BYTES, lake_messages, lake_objects
from bench.simulate.settings import HTTP, role_of
from bench.simulate.sweeps import row_cpu_ms, rows_of_reports

DAY_S: Final = 86_400
MONTH_S: Final = 30 * DAY_S
MILLION: Final = 1_000_000

LAKE_BYTES: Final = 127  # of an event in the lake, as stored: docs/benchmarks.md

DEPLOYED: Final = json.loads(KEPT.read_text())["prod"]
QUEUES_POLLED: Final[int] = DEPLOYED["polledQueues"]  # with listeners: each poller asks at least every 20 seconds
POLL_S: Final = 20
ALARMS: Final[int] = DEPLOYED["alarmMetrics"]  # paid for by their metrics, of which some have two or three



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


@dataclass(frozen=True, slots=True)
class Month:
    """Dollars a month: of reports, of what is kept, and of what costs the same however few report."""

    reports: float
    kept: float
    idle: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.reports + self.kept + self.idle


def of_a_million(model: FleetModel, rate: float) -> Parts:
    """Return the price of a million reports at so many a second: the faster they come, the fuller batches are."""
    counted = model.counted
    entries, entry_bytes = counted.each("entries"), counted.each("entry_bytes")
    invocations, gb_seconds, log_bytes, traces = _functions(model, rate)
    log_bytes += counted.requests * (limits.ACCESS_LOG_BYTES.value + limits.LOG_EVENT_BYTES.value)
    return Parts(
        api=counted.requests * prices.API_REQUEST.dollars,
        # A million reports take 1,000,000 / rate seconds, in each of which so many units are provisioned.
        writes=_requested(model, model.write_units()) * prices.WRITE_UNIT.dollars
        + provisioned_writes(model, rate) / rate * prices.PROVISIONED_WRITE.dollars,
        reads=_requested(model, model.read_units()) * prices.READ_UNIT.dollars
        + provisioned_reads(model, rate) / rate * prices.PROVISIONED_READ.dollars,
        bus=entries * prices.BUS_ENTRY.dollars,
        queues=counted.messages * (1 + 2 / limits.RECEIVED_AT_ONCE.value) * prices.QUEUE_REQUEST.dollars,
        invocations=invocations * prices.INVOCATION.dollars,
        compute=gb_seconds * MILLION * prices.GB_SECOND.dollars,
        logs=log_bytes * MILLION / GB * prices.LOGGED_GB.dollars,
        archive=bool(model.target.archive_days)
        * (entry_bytes + entries * ENVELOPE_BYTES)
        * MILLION
        / GB
        * prices.ARCHIVED_GB.dollars,
        traces=traces * MILLION * prices.TRACE.dollars,
        lake=lake_objects(model, rate) * MILLION * prices.S3_PUT.dollars,
        trail=model.target.trailed * recorded.of_a_report(model, rate) * prices.DATA_EVENT.dollars,
    )


def of_a_month(model: FleetModel, rate: float) -> Month:
    """Return the price of a month at so many reports a second, once as much expires as comes; the lake after a year."""
    million = of_a_million(model, rate).total
    reports = rate * MONTH_S
    counted = model.counted
    kept = 0.0
    for table in counted.row_bytes:
        stored = stored_gb(model, table, rate)
        backed_up = TableOrIndex(table) not in TABLES_OF_VIEWS
        kept += stored * (prices.TABLE_GB.dollars + backed_up * prices.BACKUP_GB.dollars)
    messages = lake_messages(model) * rate
    kept += messages * 365 * DAY_S * LAKE_BYTES / GB * prices.LAKE_GB.dollars
    entry_bytes = counted.each("entry_bytes") + ENVELOPE_BYTES
    kept += rate * (model.target.archive_days or 0) * DAY_S * entry_bytes / GB * prices.ARCHIVE_GB.dollars
    polls = QUEUES_POLLED * limits.QUEUE_POLLERS.value * MONTH_S / POLL_S
    idle = polls / MILLION * prices.QUEUE_REQUEST.dollars
    alarms, metrics = ALARMS + alarms_of_scaling(model), len(counted.metrics | UNSAMPLED) + FILTERS
    idle += alarms * prices.ALARM.dollars + metrics * prices.METRIC.dollars + prices.DASHBOARD.dollars
    idle += model.target.trailed * recorded.of_a_day() * MONTH_S / DAY_S / MILLION * prices.DATA_EVENT.dollars
    return Month(reports=reports / MILLION * million, kept=kept, idle=idle)


def alarms_of_scaling(model: FleetModel) -> int:
    """Return the number of Application Auto Scaling's alarms, which cost as any other."""
    return len(provisioned_places(model.target)) * POLICIES_OF_PLACE * ALARMS_OF_POLICY


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
