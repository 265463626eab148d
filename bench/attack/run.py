"""All parts of an attack, one after the other, within a budget."""

import random
from collections.abc import Callable
from functools import partial
from typing import Final

from andon.tools.stack.progress import step
from andon.tools.stack.stack import Stack
from bench.attack import inputs, invariants, kill, poison, races, roles, storms, tokens
from bench.attack.report import Record
from bench.attack.target import AttackTarget, target_of

REQUESTS: Final = 10_000
PAIRS: Final = 230  # requests that roles and tokens take

Part = tuple[str, Callable[[], None]]


def attack(stack: Stack, *, requests: int, seed: int) -> Record:
    """Attack a stack; the same seed sends the same, but for times and races."""
    target = target_of(stack)
    for name, part in _parts(target, requests, seed):
        with step(name):
            part()
    return target.record


def _parts(target: AttackTarget, requests: int, seed: int) -> list[Part]:
    """Share out so many requests; what is no request grows with them."""
    sent, poisons = max(requests - PAIRS, 1), min(max(requests // 20, 60), 400)
    storm, reports = requests if requests >= REQUESTS else requests // 10, max(requests // 10, 40)

    def dice(part: str) -> random.Random:  # a part's own, so that one part does not change what another one tries
        return random.Random(f"{seed} {part}")  # noqa: S311  no secrets

    return [
        ("roles: every route as every group", partial(roles.attack, target)),
        ("tokens", partial(tokens.attack, target)),
        (f"inputs: {sent} requests", partial(inputs.attack, target, requests=sent, dice=dice("inputs"))),
        (f"poison: {poisons} messages", partial(poison.attack, target, count=poisons, dice=dice("poison"))),
        (f"storms of {storm}", partial(storms.attack, target, count=storm)),
        ("races", partial(races.attack, target, rounds=max(requests // 1_000, 1))),
        (
            f"kill -9 while {reports} machines report",
            partial(kill.attack, target, reports=reports, dice=dice("kill")),
        ),
        ("comparing the views with what was acknowledged", partial(invariants.check, target)),
    ]
