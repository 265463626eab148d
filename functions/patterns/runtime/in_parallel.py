"""Several tasks at once, in threads, for they wait for the network."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from typing import TypeVar

# Five keep busy the third of a CPU that a listener has; more would cost without a gain (`make bench`). Handing a task
# over takes longer than preparing a write, so each thread gets its whole share at once.
PARALLEL = 5

Result = TypeVar("Result")


def in_parallel(tasks: Sequence[Callable[[], list[Result]]]) -> list[Result]:
    """Do everything, each thread its share, this one the first; whatever goes wrong in a task is to be its result."""
    mine, *others = (tasks[first::PARALLEL] for first in range(PARALLEL))
    helping = [_pool().submit(_each, share) for share in others if share]
    return [*_each(mine), *chain.from_iterable(share.result() for share in helping)]


def _each(tasks: Sequence[Callable[[], list[Result]]]) -> list[Result]:
    return [result for task in tasks for result in task()]


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(PARALLEL)
