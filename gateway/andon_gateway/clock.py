"""Clock of the plant, held against the API's: a gateway may have no battery, and no route to a time server."""

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final, NamedTuple

MINUTE_MS: Final = 60_000
DAY_MS: Final = 24 * 60 * MINUTE_MS

# What the API takes: https://www.rfc-editor.org/rfc/rfc3339 times, so far ahead and so far back.
MAX_AHEAD_MS: Final = 300_000  # andon.runtime.times.MAX_AHEAD_MS
MAX_AGE_MS: Final = DAY_MS * 33  # contract.logs.TTL_DAYS

TOLERANCE_MS: Final = 1000
SECOND_MS: Final = 1000  # `Date` cuts off the rest of its second

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND: Final = timedelta(milliseconds=1)

# As the API reads times.
TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?([Zz]|[+-]\d\d(:?\d\d)?)?", re.ASCII)


class Stamp(NamedTuple):
    """The time of a reading, epoch ms; is_replaced: its source gave one that cannot be."""

    at_ms: int
    is_replaced: bool


class Clock:
    """Epoch milliseconds, corrected by the API's answers."""

    def __init__(self, *, is_trusted: bool, wall: Callable[[], float] = time.time) -> None:
        """Take the host's clock for right from the beginning if it is trusted, else only once an answer was heard."""
        self._wall = wall
        self._offset_ms: int | None = 0 if is_trusted else None
        self._is_trusted = is_trusted

    @property
    def is_known(self) -> bool:
        """True if times may be stamped."""
        return self._offset_ms is not None

    @property
    def offset_ms(self) -> int:
        """Lead of the API's clock over the host's."""
        return self._offset_ms or 0

    def host_ms(self) -> int:
        """Return the host's time."""
        return int(self._wall() * 1000)

    def now_ms(self) -> int:
        """Return the time."""
        return self.host_ms() + self.offset_ms

    def hear(self, date: str | None, *, sent_ms: int, received_ms: int) -> None:
        """Take the header `Date` of an answer; the host's times of request and answer."""
        if self._is_trusted or not date:
            return
        try:
            date_ms = int(parsedate_to_datetime(date).timestamp() * 1000)
        except (ValueError, OverflowError):
            return
        self._offset_ms = offset_ms(date_ms, sent_ms=sent_ms, received_ms=received_ms)


def offset_ms(date_ms: int, *, sent_ms: int, received_ms: int) -> int:
    """Return the lead of another clock; 0 if its date fits ours, for then it tells nothing finer."""
    if sent_ms - SECOND_MS - TOLERANCE_MS <= date_ms <= received_ms + TOLERANCE_MS:
        return 0
    return date_ms + SECOND_MS // 2 - (sent_ms + received_ms) // 2


def stamp(source_ms: int | None, received_ms: int) -> Stamp:
    """Return the time of a reading: its source's, unless the API would refuse it or nobody can have meant it."""
    if source_ms is not None and received_ms - MAX_AGE_MS < source_ms <= received_ms + MAX_AHEAD_MS:
        return Stamp(source_ms, is_replaced=False)
    return Stamp(received_ms, is_replaced=source_ms is not None)


def said_ms(found: object) -> int | None:
    """Return the time that a machine says, epoch ms or a text, as epoch ms; None: it is none."""
    if isinstance(found, str) and TIME.fullmatch(found):
        try:
            return ms_of(datetime.fromisoformat(found.upper()))
        except (ValueError, OverflowError):
            return None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def ms_of(moment: datetime) -> int:
    """Return a time as epoch ms; without a zone it is UTC; digits below a millisecond are cut.

    Raises:
        OverflowError: as UTC it does not exist.

    """
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC) - EPOCH) // MILLISECOND


def to_utc(ms: int) -> str:
    """Return epoch ms as fixed-width UTC."""
    whole = datetime.fromtimestamp(ms // 1000, UTC)
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03d}Z"
