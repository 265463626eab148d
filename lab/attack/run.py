"""All parts of an attack, one after the other, within a budget."""

import random
from collections.abc import Callable
from functools import partial
from typing import Final

from andon.tools.stack.progress import step
from andon.tools.stack.stack import Stack
from lab.attack import (
    forged,
    front,
    hostile_groups,
    inputs,
    invariants,
    kill,
    others,
    places,
    poison,
    races,
    roles,
    storms,
    tokens,
)
from lab.attack.meanwhile import Meanwhile
from lab.attack.report import Record
from lab.attack.target import AttackTarget, target_of

REQUESTS: Final = 10_000
PAIRS: Final = 360  # requests that roles, places and tokens take
POISONS: Final = 24  # at least: each kind is there

Part = tuple[str, Callable[[], None]]


def attack(stack: Stack, *, requests: int, seed: int) -> Record:
    """Attack a stack; the same seed sends the same, but for times and races."""
    is_long = requests >= REQUESTS
    # A second client costs the emulator a second process for each function.
    target = target_of(stack, clients=2 if is_long else 1)

    def dice(part: str) -> random.Random:  # a part's own, so that one part does not change what another one tries
        return random.Random(f"{seed} {part}")  # noqa: S311  no secrets

    before, beside = _parts(target, requests, dice)
    meanwhile = Meanwhile(target, dice("meanwhile"))
    held = front.hold(target) if is_long else []  # each takes a minute
    _run(before)
    meanwhile.prepare()
    for number, (name, part) in enumerate(beside):
        is_begun = is_long or number == len(beside) - 1
        _run([(name, partial(_beside, meanwhile, part) if is_begun else part)])
    _run(
        [
            ("waiting for what went on beside it", meanwhile.check),
            ("comparing the views with what was acknowledged", partial(invariants.check, target)),
            ("looking for what others wrote", partial(others.check, target)),
        ]
    )
    front.check_held(target, held)
    return target.record


def _run(parts: list[Part]) -> None:
    for name, part in parts:
        with step(name):
            part()


def _beside(meanwhile: Meanwhile, part: Callable[[], None]) -> None:
    with meanwhile.under_way():
        part()


def _parts(target: AttackTarget, requests: int, dice: Callable[[str], random.Random]) -> tuple[list[Part], list[Part]]:
    """Share out so many requests, and what is no request, which grows with them; the second list goes on beside all."""
    sent, poisons = max(requests - PAIRS, 1), min(max(requests // 20, POISONS), 400)
    is_long = requests >= REQUESTS
    storm, reports = requests if is_long else requests // 10, max(requests // 10, 40)
    some = max(requests // 100, 5)
    before: list[Part] = [
        # A group is a name in a set of each function: tests ask all pairs of them, without a stack.
        ("roles: every route as every group", partial(roles.attack, target, None if is_long else dice("roles"))),
        ("places: every route about a thing elsewhere", partial(places.attack, target)),
        ("tokens", partial(tokens.attack, target)),
        ("front: requests for other services", partial(front.attack, target)),
    ]
    beside: list[Part] = [
        (f"inputs: {sent} requests", partial(inputs.attack, target, requests=sent, dice=dice("inputs"))),
        (f"poison: {poisons} messages", partial(poison.attack, target, count=poisons, dice=dice("poison"))),
        ("groups that nobody publishes", partial(hostile_groups.attack, target)),
        (f"storms of {storm}", partial(storms.attack, target, count=storm)),
        ("forged: cursors and tokens", partial(forged.attack, target, count=some, dice=dice("forged"))),
        ("races", partial(races.attack, target, rounds=max(requests // 1_000, 1))),
        (f"kill -9 while {reports} machines report", partial(kill.attack, target, reports=reports, dice=dice("kill"))),
    ]
    return before, beside
