"""Pauses between attempts: random, so that a thousand gateways do not come back at once. Pure."""

from random import Random
from typing import Final

FIRST_S: Final = 1.0
DOUBLINGS: Final = 16


def pause_s(failures: int, *, longest_s: float, chance: Random, first_s: float = FIRST_S) -> float:
    """Return a random part of `first_s * 2^failures`, or of `longest_s` if that is less."""
    return chance.uniform(0, min(first_s * 2 ** min(failures, DOUBLINGS), longest_s))
