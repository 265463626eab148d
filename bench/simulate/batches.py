"""Batches, invocations and queues of each function at so many reports a second."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from andon.packages.discovery import follower_of_table, packages
from bench.simulate import limits
from bench.simulate.arrivals import Seconds
from bench.simulate.capacity import shards
from bench.simulate.model import FleetModel, Work
from bench.simulate.settings import STREAMED, role_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Batched:
    """A function's way of receiving: so many lanes (shards of a stream, pollers of a queue), `size` records at most.

    window_s: how long a batch waits for more. at_a_time: how many batches may be under way.
    """

    work: Work
    lanes: int
    at_a_time: int
    size: int
    window_s: float

    def batch(self, rate: float) -> float:
        """Return the records of a batch: the one that it began with, and those that came within the window."""
        return float(np.clip(1 + rate / self.lanes * self.window_s, 1, self.size))

    def wait_s(self, rate: float) -> float:
        """Return the longest that a record waits for its batch: less than the window where batches fill earlier."""
        alone = rate / self.lanes
        return min(self.window_s, self.size / alone) if alone > 0 else self.window_s

    @property
    def capacity(self) -> float:
        """The records a second that all lanes together can take."""
        return self.at_a_time * self.size / self.work.duration_ms(self.size) * 1_000

    def invocations(self, rate: float) -> float:
        """Return the invocations a second."""
        return rate / self.batch(rate) if rate else 0.0

    def concurrency(self, rate: float) -> float:
        """Return the invocations that run at a time."""
        return self.invocations(rate) * self.work.duration_ms(self.batch(rate)) / 1_000


def backlog(came: Seconds, capacity: float) -> Seconds:
    """Return the number that waits at the end of each second, if so many can be taken in each."""
    surplus = np.cumsum(came - capacity)
    return surplus - np.minimum(0, np.minimum.accumulate(surplus))


class Invocations(NamedTuple):
    """Of one function: calls in a second, records in each, and how many run at a time."""

    per_s: float
    records: float
    at_once: float


def batched(model: FleetModel, name: str, rate: float) -> Batched:
    """Return a function's way of receiving."""
    work, target, role = model.work(name), model.target, role_of(name)
    if role in STREAMED:
        size, window = target.stream_batch
        lanes = shards(model, rate)[_table_of(name)]
        poll_s = 1 / limits.STREAM_POLLS_PER_S.value
        return Batched(work=work, lanes=lanes, at_a_time=lanes, size=size, window_s=max(window, poll_s))
    if role == "listener":
        size, window = target.queue_batch
        lanes = min(round(limits.QUEUE_POLLERS.value), target.listeners)
        receive_s = limits.QUEUE_MS[0].value / 1_000
        return Batched(work=work, lanes=lanes, at_a_time=target.listeners, size=size, window_s=max(window, receive_s))
    return Batched(work=work, lanes=1, at_a_time=round(limits.CONCURRENCY.value), size=1, window_s=0)


def invocations(model: FleetModel, rate: float) -> dict[str, Invocations]:
    """Return those of each function; of sweeps there is a fixed number a minute."""
    found = {}
    for name in model.counted.calls:
        if role_of(name) == "sweep":
            continue
        records = rate * model.records(name)
        step = batched(model, name, rate)
        found[name] = Invocations(step.invocations(records), step.batch(records), step.concurrency(records))
    return found


def _table_of(name: str) -> str:
    """Return the table whose stream a trigger or a push follows."""
    tables = [table for package in packages() for table, schema in package.tables.items() if schema.stream]
    return next(table for table in tables if _follower_of(table) == name)


def _follower_of(table: str) -> str:
    package, role = follower_of_table(table)
    return f"{package.name} {role}"
