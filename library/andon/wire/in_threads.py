"""Tasks in threads, the one pool of the process: so requests overlap where botocore is the wire, as it is for S3."""

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar, copy_context
from functools import cache, partial
from typing import TYPE_CHECKING, Final, TypeVar

from andon.runtime.tried import require_all, tried

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

# Five keep busy the third of a CPU that a listener has; more would cost without a gain (`make bench`). Handing a task
# over takes longer than preparing a write, so each thread gets its whole share at once.
PARALLEL = 5

MOST: Final = 16  # as many connections as botocore_client.py keeps open

Result = TypeVar("Result")

_IS_TASK: Final[ContextVar[bool]] = ContextVar("_IS_TASK", default=False)


def at_once(tasks: Iterable[Callable[[], Result]]) -> list[Result]:
    """Run tasks that wait for S3, with as many threads as there are connections; return their results in order.

    Raises:
        Exception: the first that a task raised, once every task was run.

    """
    return require_all(run_in_threads([partial(tried, task) for task in tasks], threads=MOST))


def run_in_threads(tasks: Sequence[Callable[[], Result]], *, threads: int | None = None) -> list[Result]:
    """Run tasks that raise nothing, each thread its share, this one the first; return their results in order.

    A task's own tasks stay in its thread: threads that wait for each other might wait for ever.
    """
    if _IS_TASK.get():
        return [do() for do in tasks]
    number = threads or PARALLEL
    mine, *others = (tasks[first::number] for first in range(number))
    helping = [_pool().submit(copy_context().run, _run_all, share) for share in others if share]
    shares = [copy_context().run(_run_all, mine), *(share.result() for share in helping)]
    return [shares[place % number][place // number] for place in range(len(tasks))]


def _run_all(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    _IS_TASK.set(True)
    return [task() for task in tasks]


@cache
def _pool() -> "ThreadPoolExecutor":
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  it loads logging; most only might need it

    return ThreadPoolExecutor(MOST)
