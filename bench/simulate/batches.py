"""How records reach each function at so many reports a second, and how many of it run."""

from typing import NamedTuple

from andon.packages.discovery import follower_of_table, packages
from bench.simulate import limits
from bench.simulate.capacity import shards
from bench.simulate.model import Model
from bench.simulate.settings import STREAMED, role_of
from bench.simulate.steps import Batched


class Invocations(NamedTuple):
    """Of one function: calls in a second, records in each, and how many run at a time."""

    per_s: float
    records: float
    at_once: float


def batched(model: Model, name: str, rate: float) -> Batched:
    """Return how records reach a function."""
    work, settings, role = model.work(name), model.settings, role_of(name)
    if role in STREAMED:
        size, window = settings.stream
        lanes = shards(model, rate)[_table_of(name)]
        poll_s = 1 / limits.STREAM_POLLS_PER_S.value
        return Batched(work=work, lanes=lanes, at_a_time=lanes, size=size, window_s=max(window, poll_s))
    if role == "listener":
        size, window = settings.queue
        lanes = min(round(limits.QUEUE_POLLERS.value), settings.listeners)
        receive_s = limits.QUEUE_MS[0].value / 1_000
        return Batched(work=work, lanes=lanes, at_a_time=settings.listeners, size=size, window_s=max(window, receive_s))
    return Batched(work=work, lanes=1, at_a_time=round(limits.CONCURRENCY.value), size=1, window_s=0)


def invocations(model: Model, rate: float) -> dict[str, Invocations]:
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
