"""All parts of an attack, one after the other, within a budget."""

import random
from dataclasses import dataclass
from typing import Final

from andon.tools.stack.progress import step
from andon.tools.stack.stack import Stack
from bench.attack import inputs, invariants, kill, poison, races, roles, storms, tokens
from bench.attack.report import Record
from bench.attack.target import target_of

REQUESTS: Final = 10_000
PAIRS: Final = 230  # requests that roles and tokens take


@dataclass(frozen=True, slots=True)
class Budget:
    """The number of attempts of each part."""

    inputs: int
    poison: int
    storm: int
    races: int
    reports: int


def budget_of(requests: int) -> Budget:
    """Share out so many requests; what is no request grows with them."""
    return Budget(
        inputs=max(requests - PAIRS, 1),
        poison=min(max(requests // 20, 60), 400),
        storm=requests if requests >= REQUESTS else requests // 10,
        races=max(requests // 1_000, 1),
        reports=max(requests // 10, 40),
    )


def attack(stack: Stack, *, requests: int, seed: int) -> Record:
    """Attack a stack; the same seed sends the same, but for times and races."""
    budget, target = budget_of(requests), target_of(stack)
    with step("roles: every route as every group"):
        roles.attack(target)
    with step("tokens"):
        tokens.attack(target)
    with step(f"inputs: {budget.inputs} requests"):
        inputs.attack(target, requests=budget.inputs, dice=_dice(seed, "inputs"))
    with step(f"poison: {budget.poison} messages"):
        poison.attack(target, count=budget.poison, dice=_dice(seed, "poison"))
    with step(f"storms of {budget.storm}"):
        storms.attack(target, count=budget.storm)
    with step("races"):
        races.attack(target, rounds=budget.races)
    with step(f"kill -9 while {budget.reports} machines report"):
        kill.attack(target, reports=budget.reports, dice=_dice(seed, "kill"))
    with step("comparing the views with what was acknowledged"):
        invariants.check(target)
    return target.record


def _dice(seed: int, part: str) -> random.Random:
    """Return dice of a part's own, so that one part does not change what another one tries."""
    return random.Random(f"{seed} {part}")  # noqa: S311  no secrets
