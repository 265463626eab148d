"""A share of a route for each caller, so that a flooding one is refused alone.

The shares are in the memory of one worker, Lambda's execution environment: they need no read, no write, and cost
nothing. Workers know nothing of each other, so a caller may get `per_second` from each: together they admit at most as
many times that. A loop over a few connections keeps a few workers busy; a flood that makes Lambda begin hundreds of
them is hardly limited here, but by the throttle of the route.
"""

import os
from collections import OrderedDict
from functools import cache
from math import ceil
from typing import Final

from andon.runtime.errors import TooManyRequests

VARIABLE: Final = "REQUESTS_PER_SECOND_OF_ONE"
"""The environment variable with the share of a caller; without it nobody is refused."""

# A retry, and what has piled up meanwhile, may come at once.
BURST_SECONDS: Final = 10

# A worker handles fewer callers in `BURST_SECONDS`, so that whoever is dropped would have a full bucket again.
MOST_CALLERS: Final = 10_000

# A bucket is counted in thousandths of a request: each millisecond adds `per_second` of them, without rounding.
REQUEST: Final = 1_000


class Shares:
    """A token bucket for each caller; of more than `most_callers`, those seen least recently begin again, full."""

    def __init__(self, per_second: int, burst: int, most_callers: int = MOST_CALLERS) -> None:
        self._per_second = per_second
        self._full = burst * REQUEST
        self._most_callers = most_callers
        self._buckets: OrderedDict[str, tuple[int, int]] = OrderedDict()  # what is in it, and when that was

    def take(self, caller: str, now_ms: int) -> float:
        """Return 0 if a request is admitted, else the seconds to wait; a refused one takes nothing.

        A clock that goes backwards adds nothing, and takes nothing.
        """
        level, then_ms = self._buckets.get(caller, (self._full, now_ms))
        level = min(self._full, level + max(0, now_ms - then_ms) * self._per_second)
        is_admitted = level >= REQUEST
        self._buckets[caller] = (level - REQUEST if is_admitted else level, now_ms)
        self._buckets.move_to_end(caller)
        if len(self._buckets) > self._most_callers:
            self._buckets.popitem(last=False)
        return 0.0 if is_admitted else (REQUEST - level) / (self._per_second * REQUEST)


def require_share(route: str, caller: str, now_ms: int) -> None:
    """Check that a caller has not used up its share of a route, as far as this worker knows.

    Raises:
        TooManyRequests: it has.

    """
    per_second = os.environ.get(VARIABLE)
    if per_second is None:
        return
    if seconds := shares_of(route, int(per_second)).take(caller, now_ms):
        raise TooManyRequests(retry_after_seconds=ceil(seconds))


@cache
def shares_of(_route: str, per_second: int) -> Shares:
    """Return the shares of a route in this worker."""
    return Shares(per_second, BURST_SECONDS * per_second)
