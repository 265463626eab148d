"""Ways for things to happen: in every order; or in batches, by a seeded `chance`, the same each run."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class OrderedStep(NamedTuple):
    """Something that happens, and its name in a report. What happens twice is the same step, twice in the list."""

    name: str
    do: Callable[[], object]


Steps = tuple[OrderedStep, ...]


class State(NamedTuple):
    """All that steps can change: `keep` writes it down, `put_back` makes it what was written down."""

    keep: Callable[[], str]
    put_back: Callable[[str], object]


def ends_of_every_order(
    steps: Sequence[OrderedStep], *, begin: Callable[[], object], end: Callable[[], str], state: State | None = None
) -> dict[str, str]:
    """Let steps happen in every order; return each end that they come to, and the first order that came to it.

    With a state, orders that begin alike, or come to the same state, are gone on from once.
    """
    ends: dict[str, str] = {}
    for order in _different(steps, begin, state) if state else _each(steps, begin):
        ends.setdefault(end(), " > ".join(step.name for step in order))
    return ends


def _each(steps: Sequence[OrderedStep], begin: Callable[[], object]) -> Iterator[Steps]:
    """Yield every order, once it has happened."""
    for order in dict.fromkeys(permutations(steps)):
        begin()
        for step in order:
            step.do()
        yield order


def _different(steps: Sequence[OrderedStep], begin: Callable[[], object], state: State) -> Iterator[Steps]:
    """Yield orders, once they have happened: of those that come to the same state with the same steps left, one."""
    begin()
    for there, done in _ways(steps, state).items():
        state.put_back(there)
        yield done


def _ways(steps: Sequence[OrderedStep], state: State) -> dict[str, Steps]:
    """Return an order for each state that all steps lead to from now on."""
    ways: list[tuple[Steps, Steps, str]] = [((), tuple(steps), state.keep())]  # those done, those left, the state
    been = set[tuple[frozenset[tuple[OrderedStep, int]], str]]()
    happened = dict[str, Steps]()
    while ways:
        done, left, there = ways.pop()
        if not left:
            happened[there] = done
        for step in dict.fromkeys(left):
            state.put_back(there)
            step.do()
            rest, kept = _without(left, step), state.keep()
            met = frozenset(Counter(rest).items()), kept
            if met not in been:
                been.add(met)
                ways.append(((*done, step), rest, kept))
    return happened


def _without(left: Steps, step: OrderedStep) -> Steps:
    at = left.index(step)
    return left[:at] + left[at + 1 :]


def cut_into_batches(chance: random.Random, messages: Sequence[T], most: int) -> Iterator[tuple[T, ...]]:
    """Yield batches of one to `most` messages."""
    while messages:
        size = chance.randint(1, most)
        batch, messages = tuple(messages[:size]), messages[size:]
        yield batch
