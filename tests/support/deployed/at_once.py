"""One thing, done by many at the same moment."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

T = TypeVar("T")


def at_once(many: int, do: Callable[[int], T]) -> list[T]:
    """Call `do` with each number, all at the same time; return the results."""
    start = Barrier(many)

    def run(number: int) -> T:
        start.wait()
        return do(number)

    with ThreadPoolExecutor(many) as pool:
        return list(pool.map(run, range(many)))
