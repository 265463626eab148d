"""Where handlers are measured: the clock stands still, and what they log goes nowhere."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from andon.runtime import clock


@contextmanager
def undisturbed(now_ms: int) -> Iterator[None]:
    """Let it be `now_ms`, and quiet."""
    real = (
        clock.now_ms
    )  # andon.tools.in_process has such a clock, too, but brings moto, which hangs itself into every client
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        clock.now_ms = lambda: now_ms
        try:
            yield
        finally:
            clock.now_ms = real
