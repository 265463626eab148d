"""One run of the sweep: its days, its end, and its log line."""

from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import Final

from andon.project import Actors
from andon.runtime import times
from andon.runtime.clock import DAY_MS, HOUR_MS
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.runtime.tried import Failed, require_all, tried
from andon.stores.archive.compact_day import Compacted, compact_if_stale, days_in_lake
from andon.stores.archive.store import KINDS

# An event lies in the lake under the day on which the bus took it. It comes later than that by what EventBridge retries
# (1 day), the queue keeps (4) and its dead letters wait (14). Once a day all days are looked at, whatever was late.
LATEST_DAYS: Final = 20


COUNTS: Final = ("days", "stale", "passes", "left", "failed", "unnamed")
"""The counts of a run. unnamed: actors of events that have more of them, or longer names, than the archive keeps."""


class TimeLeft:
    """Time left in an invocation; a step begins if twice the longest one so far is left."""

    def __init__(self, context: LambdaContext) -> None:
        self._context, self._left_ms, self._longest_ms = context, context.get_remaining_time_in_millis(), 0

    def is_enough(self) -> bool:
        """Return True if another step may begin; the one before has ended."""
        left_ms = self._context.get_remaining_time_in_millis()
        self._longest_ms, self._left_ms = max(self._longest_ms, self._left_ms - left_ms), left_ms
        return left_ms > 2 * self._longest_ms


def compact_stale_days(context: LambdaContext, *, now_ms: int) -> None:
    """Write stale days, the newest first, until there are none or time runs out: the next run goes on.

    Raises:
        Exception: a day failed; the others are written.

    """
    counts, time_left = Counter(dict.fromkeys(COUNTS, 0)), TimeLeft(context)
    results = list[Compacted | Failed | None]()
    for day in sorted(days_to_check(days_in_lake(), now_ms=now_ms), reverse=True):
        kinds = kinds_kept(day, now_ms=now_ms)
        results.append(done := tried(partial(compact_if_stale, day, kinds, goes_on=time_left.is_enough)))
        counts.update(_counts_of(done))
    extra = {"function_request_id": context.aws_request_id, "view": "archive", **counts}
    logger().info("archived", extra=extra)
    require_all(results)


def _counts_of(done: Compacted | Failed | None) -> dict[str, int]:
    """Return the counts that a day adds to the counts."""
    if isinstance(done, Failed):
        return {"days": 1, "failed": 1}
    if done is None:
        return {"days": 1}
    rest = {"passes": done["passes"], "left": int(not done["whole"]), "unnamed": done["unnamed"]}
    return {"days": 1, "stale": 1, **rest}


def days_to_check(days: Iterable[str], *, now_ms: int) -> list[str]:
    """Return the days that a run looks at: the latest, and in the first hour of a day all that are kept.

    A clock that is ahead may have begun tomorrow; nothing real lies behind that.
    """
    looks_at_all = now_ms % DAY_MS < HOUR_MS
    kept = [day for day in days if kinds_kept(day, now_ms=now_ms) and _age(day, now_ms) >= -1]
    return [day for day in kept if looks_at_all or _age(day, now_ms) <= LATEST_DAYS]


def kinds_kept(day: str, *, now_ms: int) -> list[Actors]:
    """Return the kinds of which a day is kept; without its manifest, what has expired would be written again."""
    return [kind for kind in KINDS if _age(day, now_ms) < kind.keeps_days]


def _age(day: str, now_ms: int) -> int:
    """Return the age of a day, in days since it began."""
    return (now_ms - times.to_ms(f"{day}T00:00")) // DAY_MS
