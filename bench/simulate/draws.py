"""How long things take, drawn at random for many reports."""

from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.simulate import limits
from bench.simulate.arrivals import Seconds
from bench.simulate.limits import Limit
from bench.simulate.steps import Batched, backlog

Ms = NDArray[np.float64]

DRAWN: Final = 200_000
P99: Final = 2.326  # standard deviations of a normal distribution
SLOWEST: Final = 4.0


@dataclass(frozen=True, slots=True)
class Times:
    """How long something takes, in milliseconds."""

    p50: float
    p99: float
    longest: float

    @classmethod
    def of(cls, drawn: Ms) -> "Times":
        """Return the percentiles of what was drawn."""
        return cls(*(float(value) for value in np.percentile(drawn, [50, 99, 100])))


def took_ms(rng: np.random.Generator, count: int, times: tuple[Limit, Limit]) -> Ms:
    """Draw how long something takes: lognormal, by its median and its 99th percentile."""
    median, slow = (one.value for one in times)
    return rng.lognormal(log(median), log(slow / median) / P99, count).clip(max=SLOWEST * slow)


def batched_ms(rng: np.random.Generator, at: NDArray[np.int64], came: Seconds, step: Batched, rate: float) -> Ms:
    """Draw how long records of the seconds `at` take through a step: its queue, its window, its invocation."""
    waits = backlog(came, step.capacity)[at] / step.capacity * 1_000
    window = rng.uniform(0, step.wait_s(rate) * 1_000, len(at))
    return waits + window + step.work.duration_ms(step.batch(rate)) + cold_ms(rng, len(at), step, rate)


def cold_ms(rng: np.random.Generator, count: int, step: Batched, rate: float) -> Ms:
    """Draw what cold starts add: each of the instances that run is replaced from time to time."""
    invocations = max(step.invocations(rate), 1e-9)
    share = min(1.0, max(step.concurrency(rate), 1.0) / limits.INSTANCE_LIVES_S.value / invocations)
    return np.where(rng.random(count) < share, took_ms(rng, count, limits.COLD_MS), 0.0)
