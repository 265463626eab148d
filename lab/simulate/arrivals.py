"""When reports come: how many in each second, and what the API's throttle makes of them."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lab.simulate.counted import EVERY_S

Seconds = NDArray[np.float64]
"""A number for each second."""

RETRY_WITHIN_S: Final = 60
"""A device that is refused tries again within so long, at random."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Machines that report. spread_s: within so many seconds of every five minutes; all of it: no clock is in step."""

    machines: int
    hours: float = 24
    spread_s: int = EVERY_S

    @property
    def rate(self) -> float:
        """The mean of reports in a second."""
        return self.machines / EVERY_S


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Reports by the second in which the API took them; `refused`: how often it answered 429 in all."""

    taken: Seconds
    sent: float
    refused: float


def arrivals(load: Load, *, throttle: float, burst: float, seed: int = 17) -> Arrivals:
    """Return the reports of all hours, second by second; `throttle`: reports a second, `burst`: at once."""
    rng = np.random.default_rng(seed)
    seconds = round(load.hours * 3_600)
    in_period = np.zeros(EVERY_S)
    in_period[: load.spread_s] = load.machines / load.spread_s
    offered = rng.poisson(np.resize(in_period, seconds)).astype(float)
    return _throttled(offered, throttle, burst)


def _throttled(offered: Seconds, rate: float, burst: float) -> Arrivals:
    """Take what a token bucket lets through; what is refused comes again, spread over `RETRY_WITHIN_S`."""
    if offered.max(initial=0) <= rate:
        return Arrivals(offered, float(offered.sum()), 0.0)
    taken, again = np.zeros_like(offered), np.zeros(len(offered) + RETRY_WITHIN_S)
    tokens, refused = burst, 0.0
    for second, new in enumerate(offered):
        tokens = min(tokens, burst) + rate
        wants = new + again[second]
        taken[second] = min(wants, tokens)
        tokens -= taken[second]
        if wants > taken[second]:
            refused += wants - taken[second]
            again[second + 1 : second + 1 + RETRY_WITHIN_S] += (wants - taken[second]) / RETRY_WITHIN_S
    return Arrivals(taken, float(offered.sum()), refused)
