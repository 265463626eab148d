"""Tasks in threads: how they overlap where botocore is the wire."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import cache
from typing import Final, TypeVar

# Five keep busy the third of a CPU that a listener has; more would cost without a gain (`make bench`). Handing a task
# over takes longer than preparing a write, so each thread gets its whole share at once.
PARALLEL = 5

Result = TypeVar("Result")

_IS_TASK: Final[ContextVar[bool]] = ContextVar("_IS_TASK", default=False)


def run_in_threads(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run tasks that raise nothing, each thread its share, this one the first; return their results in order.

    What a task runs so itself stays in its thread: threads that wait for each other might wait for ever.
    """
    if _IS_TASK.get():
        return [do() for do in tasks]
    mine, *others = (tasks[first::PARALLEL] for first in range(PARALLEL))
    helping = [_pool().submit(copy_context().run, _run_all, share) for share in others if share]
    shares = [copy_context().run(_run_all, mine), *(share.result() for share in helping)]
    return [shares[number % PARALLEL][number // PARALLEL] for number in range(len(tasks))]


def _run_all(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    _IS_TASK.set(True)
    return [task() for task in tasks]


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(PARALLEL)
