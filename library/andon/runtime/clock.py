"""The only clock: edges read it here and pass the time on, and wait by it, so that replays and tests can set it."""

import time
from typing import Final

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS


def now_ms() -> int:
    """Return the time in epoch milliseconds."""
    return time.time_ns() // 1_000_000


def wait(seconds: float) -> None:
    """Let so much time pass."""
    time.sleep(seconds)
