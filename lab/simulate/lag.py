"""Times drawn at random for many reports: step by step from the PUT of a report until it is readable."""

from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.simulate import limits
from lab.simulate.arrivals import Seconds
from lab.simulate.batches import Batched, backlog
from lab.simulate.counted import Way
from lab.simulate.invocations import batched
from lab.simulate.limits import Limit
from lab.simulate.model import FleetModel

Ms = NDArray[np.float64]

DRAWN: Final = 200_000
P99: Final = 2.326  # standard deviations of a normal distribution
SLOWEST: Final = 4.0


class Times(NamedTuple):
    """Percentiles of a duration, in milliseconds."""

    p50: float
    p99: float
    longest: float

    @classmethod
    def of(cls, drawn: Ms) -> "Times":
        """Return the percentiles of what was drawn."""
        return cls(*(float(value) for value in np.percentile(drawn, [50, 99, 100])))


def lag(model: FleetModel, rng: np.random.Generator, came: Seconds, rate: float) -> tuple[dict[str, Times], Times]:
    """Return the times of each step, by name, and of all of them; drawn from reports by the second they came in."""
    at = rng.choice(len(came), DRAWN, p=came / came.sum())
    drawn: dict[str, Ms] = {}
    way = model.counted.fleet.way
    if way == Way.MQTT:
        drawn["broker"] = took_ms(rng, DRAWN, limits.BROKER_MS)
        step = batched(model, "equipment ingest", rate)
        drawn["queue and ingest"] = took_ms(rng, DRAWN, limits.QUEUE_MS) + _batched_ms(rng, at, came, step, rate)
    else:
        step = batched(model, "equipment command", rate)
        drawn["command"] = took_ms(rng, DRAWN, limits.DYNAMODB_MS) + step.work.before_puts_ms(1)
        drawn["command"] += _cold_ms(rng, DRAWN, step, rate)
    if way == Way.PUT:  # else the step before publishes
        step, shown = batched(model, "equipment trigger", rate), took_ms(rng, DRAWN, limits.STREAM_MS)
        drawn["stream and trigger"] = shown + _batched_ms(rng, at, came, step, rate)
    drawn["PutEvents"] = took_ms(rng, DRAWN, limits.PUT_EVENTS_MS)
    drawn["bus"] = took_ms(rng, DRAWN, limits.BUS_MS)
    listener = batched(model, "state_log listener", rate)
    received = took_ms(rng, DRAWN, limits.QUEUE_MS)
    drawn["queue and listener"] = received + _batched_ms(rng, at, came, listener, rate)
    drawn["index"] = took_ms(rng, DRAWN, limits.INDEX_MS)
    return {name: Times.of(one) for name, one in drawn.items()}, Times.of(np.sum([*drawn.values()], axis=0))


def took_ms(rng: np.random.Generator, count: int, times: tuple[Limit, Limit]) -> Ms:
    """Draw durations: lognormal, by its median and its 99th percentile."""
    median, slow = (one.value for one in times)
    return rng.lognormal(log(median), log(slow / median) / P99, count).clip(max=SLOWEST * slow)


def _batched_ms(rng: np.random.Generator, at: NDArray[np.int64], came: Seconds, step: Batched, rate: float) -> Ms:
    """Draw the durations of records of the seconds `at` through a step: its queue, its window, its invocation."""
    waits = backlog(came, step.capacity)[at] / step.capacity * 1_000
    window = rng.uniform(0, step.wait_s(rate) * 1_000, len(at))
    return waits + window + step.work.before_puts_ms(step.batch(rate)) + _cold_ms(rng, len(at), step, rate)


def _cold_ms(rng: np.random.Generator, count: int, step: Batched, rate: float) -> Ms:
    """Draw what cold starts add: each of the instances that run is replaced from time to time."""
    invocations = max(step.invocations(rate), 1e-9)
    share = min(1.0, max(step.concurrency(rate), 1.0) / limits.INSTANCE_LIVES_S.value / invocations)
    return np.where(rng.random(count) < share, took_ms(rng, count, limits.COLD_MS), 0.0)
