"""Whoever means harm: nobody is let in where they may not, nothing fails, and nobody else's facts are lost or wait.

`make prove NAME=attack REQUESTS=10000 DEPLOYED=1`: at least so many requests. It works from `docs/openapi.json`, the
routes and the samples, not from the code. A stack is for what memory is not: HTTP itself, tokens and groups, the front,
queues that deliver again, processes that die.
"""

import os
from functools import partial
from typing import Final

from andon.testing.proving.prover import ProvedPart
from andon.testing.proving.world import Faults
from lab.attack import callers, edge, poison, requests, writers
from lab.attack.target import impatient, on

REQUESTS: Final = int(os.environ.get("REQUESTS") or 420)
SLOW: Final = REQUESTS // 1_000  # requests that do not end: waiting for them takes a minute
POISONS: Final = 24  # at least: each kind is there
DEATHS: Final = Faults(kill=0.002, lose=0.002, twice=0.1, late=0.1, late_s=10, slow_ms=20)

WORLD = impatient
PARTS = {
    "inputs": ProvedPart(on(partial(requests.inputs, requests=max(REQUESTS // 7, 60)))),
    "forged": ProvedPart(on(partial(requests.forged, count=max(REQUESTS // 10, 40))), deployed=False),
    "roles": ProvedPart(on(callers.roles)),
    "places": ProvedPart(on(callers.places), deployed=False),
    "tokens": ProvedPart(on(edge.tokens), in_memory=False),
    "front": ProvedPart(on(partial(edge.front, slow=SLOW)), in_memory=False),
    "poison": ProvedPart(on(partial(poison.poison, count=min(max(REQUESTS // 20, POISONS), 400)))),
    "groups": ProvedPart(on(poison.groups), deployed=False),
    "others": ProvedPart(on(partial(poison.others, count=max(REQUESTS // 240, 5))), deployed=False),
    "races": ProvedPart(on(partial(writers.races, rounds=max(REQUESTS // 1_000, 1))), Faults(slow_ms=50)),
    "storms": ProvedPart(on(partial(writers.storms, count=max(REQUESTS // 3, 100))), deployed=False),
    "dying": ProvedPart(on(partial(writers.dying, reports=max(REQUESTS // 20, 20))), DEATHS),
}
