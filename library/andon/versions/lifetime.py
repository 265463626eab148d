"""The life of a current row that a fence stands on: it expires by dates of its domain, and its id is never taken again.

If a fence began again at 1 while its history remains, a revision that readers have seen could be replaced, and a writer
of before could hold a number that is given out twice. So the id holds a date until which it may be taken, and the table
keeps the row for longer than that: when DynamoDB takes the row, nobody may begin it again.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from andon.dynamodb import ttl
from andon.runtime.strict_json import is_whole

KEPT_SECONDS: Final = ttl.SECONDS_PER_DAY
"""Seconds for which a row is kept after its dates. A process that began before them has ended by then, also if its
clock is hours behind: a Lambda function runs for at most 15 minutes."""


class Lifetime(NamedTuple):
    """Dates of a row, in epoch seconds.

    expires_at: readers see the row until then (`ttl.is_alive`), at least for as long as its id is open; each version
    says it anew, earlier or later. open_until: the id may be taken until then. It follows from the id alone, so that
    every command for the id says the same, in every version of the code: an id that holds a day is open until that is
    over.
    """

    expires_at: int
    open_until: int

    def require_seconds(self) -> None:
        """Check that both are epoch seconds.

        Raises:
            ValueError: one is no whole number, or so large that it is milliseconds.

        """
        for name, date in self._asdict().items():
            if not is_whole(date) or not 0 <= date < ttl.FIRST_NO_SECONDS:
                raise ValueError(f"{name} is a date in epoch seconds, and not {date!r}")

    def is_open(self, now_ms: int) -> bool:
        """Return True if the id may be taken."""
        return not ttl.is_expired(self.open_until, now_ms)

    @property
    def of_fence(self) -> dict[str, int]:
        """The attributes of a row that only holds the fence of a first write: nobody sees it."""
        return {ttl.DATE: 0, ttl.ATTRIBUTE: self.open_until + KEPT_SECONDS}

    def upon(self, row: Mapping[str, int]) -> dict[str, int]:
        """Return the attributes of the row that follows `row`; it is kept until the latest date that it ever had."""
        shown_until = max(self.expires_at, self.open_until)
        kept_until = max(shown_until + KEPT_SECONDS, row.get(ttl.ATTRIBUTE, 0))
        return {ttl.DATE: shown_until, ttl.ATTRIBUTE: kept_until}
