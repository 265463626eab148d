"""Predicts the fate of many machines' reports on AWS: lag, lateness, partitions, concurrency, use of limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np

from lab.simulate import limit_use
from lab.simulate.arrivals import Arrivals, Load, arrivals
from lab.simulate.counted import Way
from lab.simulate.invocations import Invocations, invocations
from lab.simulate.lag import Times, lag
from lab.simulate.limit_use import LimitUse
from lab.simulate.model import FleetModel
from lab.simulate.partitions import Partition, busiest_partitions
from lab.simulate.sweeps import DueRows, lateness

SEED: Final = 17


@dataclass(frozen=True, slots=True)
class Prediction:
    """The model's figures. steps: by name, on the way from PUT to readable. late, due_rows: by control service."""

    load: Load
    arrivals: Arrivals
    steps: Mapping[str, Times]
    lag: Times
    late: Mapping[str, Times]
    due_rows: Mapping[str, DueRows]
    partitions: tuple[Partition, ...]
    functions: Mapping[str, Invocations]
    used: tuple[LimitUse, ...]

    @property
    def first(self) -> LimitUse:
        """The limit that gives first."""
        return max(self.used, key=lambda one: one.share)

    @property
    def exceeded(self) -> list[LimitUse]:
        """The limits that are not enough."""
        return [one for one in self.used if one.share > 1]


def predict(model: FleetModel, load: Load) -> Prediction:
    """Let the fleet report for all of its hours."""
    throttle, burst = (
        of / (model.counted.requests or 1) for of in model.throttle
    )  # the broker has no throttle of ours
    if load.rate > throttle or model.counted.fleet.way == Way.MQTT:
        throttle = load.rate * 2  # it is a setting: `used` says that it has to be raised; the broker has none of ours
    came = arrivals(load, throttle=throttle, burst=burst)
    rng = np.random.default_rng(SEED)
    steps, whole = lag(model, rng, came.taken, load.rate)
    late, due_rows = lateness(model, rng, came.taken)
    busiest = float(came.taken.max(initial=0))
    partitions = busiest_partitions(model, load, busiest)
    functions = invocations(model, load.rate)
    used = chain(
        limit_use.of_api_and_bus(model, load, busiest),
        limit_use.of_functions(model, load, busiest, functions),
        limit_use.of_sweeps(due_rows),
        limit_use.of_tables(model, load, busiest, partitions),
    )
    return Prediction(
        load=load,
        arrivals=came,
        steps=steps,
        lag=whole,
        late=late,
        due_rows=due_rows,
        partitions=partitions,
        functions=functions,
        used=tuple(used),
    )
