"""How long it takes from the PUT of a report until it can be read, step by step."""

import numpy as np

from bench.simulate import limits
from bench.simulate.arrivals import Seconds
from bench.simulate.batches import batched
from bench.simulate.draws import DRAWN, Ms, Times, batched_ms, cold_ms, took_ms
from bench.simulate.model import Model


def lag(model: Model, rng: np.random.Generator, came: Seconds, rate: float) -> tuple[dict[str, Times], Times]:
    """Return what each step takes, by name, and all of them; drawn from reports by the second in which they came."""
    at = rng.choice(len(came), DRAWN, p=came / came.sum())
    drawn: dict[str, Ms] = {}
    command = batched(model, "equipment command", rate)
    drawn["command"] = took_ms(rng, DRAWN, limits.DYNAMODB_MS) + command.work.duration_ms(1)
    drawn["command"] += cold_ms(rng, DRAWN, command, rate)
    if not model.counted.fleet.batched:  # else the command publishes
        trigger = batched(model, "equipment trigger", rate)
        shown = took_ms(rng, DRAWN, limits.STREAM_MS)
        drawn["stream and trigger"] = shown + batched_ms(rng, at, came, trigger, rate)
        drawn["PutEvents"] = took_ms(rng, DRAWN, limits.PUT_EVENTS_MS)
    drawn["bus"] = took_ms(rng, DRAWN, limits.BUS_MS)
    listener = batched(model, "state_log listener", rate)
    received = took_ms(rng, DRAWN, limits.QUEUE_MS)
    drawn["queue and listener"] = received + batched_ms(rng, at, came, listener, rate)
    drawn["index"] = took_ms(rng, DRAWN, limits.INDEX_MS)
    return {name: Times.of(one) for name, one in drawn.items()}, Times.of(np.sum([*drawn.values()], axis=0))
