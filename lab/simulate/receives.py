"""Requests to queues: one sends a message, some receive and delete several, and some find none.

A request counts once for each 64 KB. A poller asks for messages, and waits 20 s at most; it gets as many at once as the
model says, of which nobody knows the mean: ten at most, and one where messages come apart.
"""

from math import ceil, expm1
from typing import Final

from lab.simulate import limits
from lab.simulate.grouping import ENVELOPE_BYTES, message_to
from lab.simulate.model import FleetModel

BUSY: Final = 50.0
"""So many messages are expected while a poller would wait that it never waits in vain."""

RULE_BYTES: Final = 1_024  # of a message of a thing, as its rule writes it


def of_report(model: FleetModel, rate: float) -> float:
    """Return the requests for the messages that a report makes."""
    sizes = {package: message_to(model, package, rate).size for package in subscribers(model)}
    counts = messages(model, rate).items()
    return sum(count * of_message(model, sizes.get(name, RULE_BYTES)) for name, count in counts)


def of_message(model: FleetModel, size: float) -> float:
    """Return the requests for a message, whose detail has so many bytes."""
    size += ENVELOPE_BYTES
    return _parts(size) + _parts(size * model.received) / model.received + 1 / model.received


def messages(model: FleetModel, rate: float) -> dict[str, float]:
    """Return the messages of a report in each queue."""
    from_bus = {name: model.counted.facts_to(name) / message_to(model, name, rate).facts for name in subscribers(model)}
    return from_bus | {name: count / model.counted.reports for name, count in model.counted.queued.items()}


def subscribers(model: FleetModel) -> list[str]:
    """Return the packages that get facts of reports."""
    return sorted({package for _, package in model.counted.published})


def in_vain(model: FleetModel, rate: float, *, queues: int) -> float:
    """Return the requests a second that find no message, of so many queues with a poller's function."""
    busy = [one * rate / model.received for one in messages(model, rate).values()] if rate else []
    return sum(map(_in_vain, busy)) + max(0, queues - len(busy)) * _in_vain(0)


def _in_vain(received_per_s: float) -> float:
    """Return the requests a second that find nothing, of a queue: those at whose poller nothing comes in time."""
    pollers, wait_s = limits.QUEUE_POLLERS.value, limits.LONGEST_POLL_S.value
    expected = received_per_s / pollers * wait_s
    if expected > BUSY:
        return 0.0
    return pollers / wait_s if expected == 0 else received_per_s / expm1(expected)


def _parts(size: float) -> int:
    return ceil(size / limits.BILLED_BYTES.value)
