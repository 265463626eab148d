"""Several tasks at once, for they wait for the network."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from andon.wire import aws

Result = TypeVar("Result")


def in_parallel(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run all tasks; return their results in order.

    Raises:
        Exception: the first that a task raised, once every task was run.

    """
    if aws.wire() == aws.LIBCURL:
        from andon.wire.in_turns import run_in_turns as run  # noqa: PLC0415  see aws.py
    else:
        from andon.wire.in_threads import run_in_threads as run  # noqa: PLC0415  see aws.py
    ended = run([partial(_ended, task) for task in tasks])
    for one in ended:
        if isinstance(one, _Raised):
            raise one.error
    return [one for one in ended if not isinstance(one, _Raised)]


def pause(seconds: float) -> None:
    """Wait; meanwhile the other tasks of `in_parallel` go on."""
    if aws.wire() == aws.LIBCURL:
        from andon.wire import in_turns  # noqa: PLC0415  see aws.py

        in_turns.pause(seconds)
    else:
        time.sleep(seconds)


class _Raised(NamedTuple):
    """How a task ended that raised."""

    error: Exception


def _ended(task: Callable[[], Result]) -> Result | _Raised:
    try:
        return task()
    except Exception as error:  # noqa: BLE001  the other tasks must not suffer; it is raised when they are done
        return _Raised(error)
