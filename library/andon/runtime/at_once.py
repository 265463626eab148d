"""Many reads at once, each in a thread of its own: botocore is the wire of S3, which waits for each answer."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Final, TypeVar

PARALLEL: Final = 16  # as many connections as botocore_client.py keeps open

Result = TypeVar("Result")


def at_once(tasks: Iterable[Callable[[], Result]]) -> list[Result]:
    """Run all tasks; return their results in order.

    Raises:
        Exception: the first that a task raised.

    """
    with ThreadPoolExecutor(PARALLEL) as pool:
        return [one.result() for one in [pool.submit(copy_context().run, task) for task in tasks]]
