"""Invocations of each function at so many reports a second."""

from typing import NamedTuple

from lab.simulate.batches import Batched, of_publisher, of_queue
from lab.simulate.grouping import ENVELOPE_BYTES, message_to
from lab.simulate.model import FleetModel
from lab.simulate.settings import role_of


class Invocations(NamedTuple):
    """Of one function: calls in a second, records in each, and how many run at a time."""

    per_s: float
    records: float
    at_once: float


def batched(model: FleetModel, name: str, rate: float) -> Batched:
    """Return a function's way of receiving."""
    package, _, role = name.rpartition(" ")
    if role != "listener":
        return of_publisher(model, name, rate)
    message = message_to(model, package, rate)
    size = message.size + ENVELOPE_BYTES
    return of_queue(model, name, model.target.queue_batch, facts=message.facts, message_bytes=size)


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
