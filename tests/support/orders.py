"""Random ways for messages to arrive: more than once, in batches; a seeded `chance` makes them the same each run."""

import random
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def with_duplicates(chance: random.Random, messages: Sequence[T]) -> list[T]:
    """Return messages in their order, with a copy of each anywhere behind it."""
    doubled = list(messages)
    for message in messages:
        doubled.insert(chance.randint(doubled.index(message) + 1, len(doubled)), message)
    return doubled


def cut_into_batches(chance: random.Random, messages: Sequence[T], most: int) -> Iterator[tuple[T, ...]]:
    """Yield batches of one to `most` messages."""
    while messages:
        size = chance.randint(1, most)
        batch, messages = tuple(messages[:size]), messages[size:]
        yield batch
