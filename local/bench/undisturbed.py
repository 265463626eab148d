"""Where handlers are measured: the clock stands still, and what they log goes nowhere."""

import atexit
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from functools import cache
from pathlib import Path
from typing import TextIO

from patterns.runtime import clock


@contextmanager
def undisturbed(now_ms: int) -> Iterator[None]:
    """Let it be `now_ms`, and quiet."""
    real = clock.now_ms  # local.in_process has such a clock, too, but brings moto, which hangs itself into every client
    with redirect_stdout(_nowhere()):
        clock.now_ms = lambda: now_ms
        try:
            yield
        finally:
            clock.now_ms = real


@cache
def _nowhere() -> TextIO:
    """Open it once: the process's logger goes on writing to where it did first."""
    until_the_end = ExitStack()
    atexit.register(until_the_end.close)
    return until_the_end.enter_context(Path(os.devnull).open("w"))
