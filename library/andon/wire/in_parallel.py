"""Several tasks at once, for they wait for the network: in turns where libcurl is the wire, else in threads."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from andon.runtime.tried import require_all, tried
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
    return require_all(run([partial(tried, task) for task in tasks]))


def pause(seconds: float) -> None:
    """Wait; meanwhile the other tasks of `in_parallel` go on."""
    if aws.wire() == aws.LIBCURL:
        from andon.wire import in_turns  # noqa: PLC0415  see aws.py

        in_turns.pause(seconds)
    else:
        time.sleep(seconds)
