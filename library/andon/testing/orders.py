"""Ways for things to happen: in every order; or in batches, by a seeded `chance`, the same each run."""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class OrderedStep(NamedTuple):
    """Something that happens, and its name in a report. What happens twice is the same step, twice in the list."""

    name: str
    do: Callable[[], object]


def ends_of_every_order(
    steps: Sequence[OrderedStep], *, begin: Callable[[], object], end: Callable[[], str]
) -> dict[str, str]:
    """Let steps happen in every order; return each end that they come to, and the first order that came to it."""
    ends: dict[str, str] = {}
    for order in dict.fromkeys(permutations(steps)):
        begin()
        for step in order:
            step.do()
        ends.setdefault(end(), " > ".join(step.name for step in order))
    return ends


def cut_into_batches(chance: random.Random, messages: Sequence[T], most: int) -> Iterator[tuple[T, ...]]:
    """Yield batches of one to `most` messages."""
    while messages:
        size = chance.randint(1, most)
        batch, messages = tuple(messages[:size]), messages[size:]
        yield batch
