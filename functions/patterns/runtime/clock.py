"""The only clock: edges read it here and hand the time on, so that replays and tests can set it."""

import time


def now_ms() -> int:
    """Tell the time in epoch milliseconds."""
    return time.time_ns() // 1_000_000
