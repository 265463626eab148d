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


def in_parallel(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run all tasks, each thread its share, this one the first; return their results.

    Raises:
        Exception: the first that a task raised, once every task was run.

    """
    errors: list[Exception] = []
    mine, *others = (tasks[first::PARALLEL] for first in range(PARALLEL))
    helping = [_pool().submit(_run_all, share, errors) for share in others if share]
    results = [*_run_all(mine, errors), *chain.from_iterable(share.result() for share in helping)]
    if errors:
        raise errors[0]
    return results


def _run_all(tasks: Sequence[Callable[[], Result]], errors: list[Exception]) -> list[Result]:
    results = []
    for task in tasks:
        try:
            results.append(task())
        except Exception as error:  # noqa: BLE001  the other tasks must not suffer; it is raised when they are done
            errors.append(error)
    return results


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(PARALLEL)
