"""The only clock: edges read it here and pass the time on, so that replays and tests can set it."""

import time


def now_ms() -> int:
    """Return the time in epoch milliseconds."""
    return time.time_ns() // 1_000_000
