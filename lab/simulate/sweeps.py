"""Due rows: the number that the sweeps of a minute can do, and the lateness of decisions that follows."""

from typing import NamedTuple

import numpy as np

from andon.packages.discovery import follower_of_table
from andon.rules.micro_event_store import STORED_WITHIN_MS
from andon.rules.sweep import EVERY_SECONDS, MARGIN_MS
from lab.simulate import limits
from lab.simulate.arrivals import Seconds
from lab.simulate.batches import backlog
from lab.simulate.lag import DRAWN, Times, took_ms
from lab.simulate.model import FleetModel
from lab.simulate.settings import memory_mb


class DueRows(NamedTuple):
    """Of one service: what is due in the busiest minute, and how much the sweeps of a minute can do."""

    per_minute: float
    at_most: float


def lateness(model: FleetModel, rng: np.random.Generator, came: Seconds) -> tuple[dict[str, Times], dict[str, DueRows]]:
    """Draw how long after its time what is due is decided, by service."""
    minutes = came[: len(came) // EVERY_SECONDS * EVERY_SECONDS].reshape(-1, EVERY_SECONDS).sum(axis=1)
    late, due_rows = {}, {}
    for name, of_report in rows_of_reports(model).items():
        rows = minutes * of_report
        capacity = sweep_capacity(model, f"{name} sweep", of_report)
        waiting = backlog(rows, capacity)
        at = rng.choice(len(rows), DRAWN, p=rows / rows.sum())
        ahead = waiting[at] + rng.uniform(0, np.maximum(1, rows[at]))
        sweeps, in_sweep = np.divmod(ahead, capacity)
        late[name] = Times.of(
            STORED_WITHIN_MS
            + rng.uniform(0, EVERY_SECONDS * 1_000, DRAWN)
            + took_ms(rng, DRAWN, limits.SCHEDULE_LATE_MS)
            + sweeps * EVERY_SECONDS * 1_000
            + in_sweep / capacity * (EVERY_SECONDS * 1_000 - MARGIN_MS)
        )
        due_rows[name] = DueRows(float(rows.max(initial=0)), capacity)
    return late, due_rows


def rows_of_reports(model: FleetModel) -> dict[str, float]:
    """Return the rows that the sweep of each control service takes out for a report."""
    taken = model.counted.late_ms.items()
    return {follower_of_table(table)[0].name: len(found) / model.counted.reports for table, found in taken}


def sweep_capacity(model: FleetModel, name: str, rows: float) -> float:
    """Return the rows that the sweeps of a minute can do: by CPU, or by waiting for AWS, whichever takes longer.

    rows: of a report.
    """
    share = min(1.0, memory_mb(name) / limits.MB_PER_CPU.value)
    by_cpu = row_cpu_ms(model, name, rows) / share
    by_waiting = model.requests(name) / rows * limits.DYNAMODB_MS[0].value / limits.REQUESTS_AT_ONCE.value
    return model.target.sweeps_at_once * (EVERY_SECONDS * 1_000 - MARGIN_MS) / max(by_cpu, by_waiting)


def row_cpu_ms(model: FleetModel, name: str, rows: float) -> float:
    """Return the CPU of a row that is due, of one of Lambda's processors; `rows`: of a report."""
    requests = model.requests(name) / rows
    own = limits.CPU_PER_EVALUATION_MS.value + requests * limits.CPU_PER_REQUEST_SWEPT_MS.value
    return own * limits.LAMBDA_SLOWER.value
