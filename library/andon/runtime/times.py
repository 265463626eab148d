"""Times: the forms that clients may send, and the one form that is stored: `2026-11-21T09:35:00.000Z`."""

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
# RFC 3339, and what clients send beside it.
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?([Zz]|[+-]\d\d(:?\d\d)?)?", re.ASCII)
_SECONDS = slice(16, 19)
_FIXED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)

# How far ahead a client's clock may be.
MAX_AHEAD_MS = 5 * 60 * 1000

# Rules put times in order as texts of 13 digits, which end in 2286.
LAST_MS = 10**13 - 1


def to_ms(text: str) -> int:
    """Return a time as epoch milliseconds; without an offset it is UTC; digits below a millisecond are cut.

    Raises:
        ValueError: it is not an ISO 8601 date and time, or does not exist.

    """
    if not _TIME.fullmatch(text):
        raise ValueError("must be a time such as 2026-11-21T09:35:00Z")
    if text[_SECONDS] == ":60":
        raise ValueError("must have seconds up to 59: a leap second has no place of its own in UTC's milliseconds")
    return _ms_of(text.upper())


def _ms_of(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not UTC:
            # As UTC it must exist, too: an offset can push the first and the last minutes out of the calendar.
            moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
        return (moment - _EPOCH) // _MILLISECOND
    except (ValueError, OverflowError) as error:
        raise ValueError("must be a time that exists") from error


def known_by(ms: int, *, now_ms: int) -> int:
    """Return a time that somebody says; if that lies further ahead than a clock may be, now."""
    return ms if ms <= now_ms + MAX_AHEAD_MS else now_ms


def to_utc(ms: int) -> str:
    """Return epoch milliseconds as fixed-width UTC, so that byte order is time order."""
    return (_EPOCH + ms * _MILLISECOND).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def date_of(ms: int) -> str:
    """Return the date of epoch milliseconds, UTC."""
    return to_utc(ms).partition("T")[0]


def normalised(text: str) -> str:
    """Return a time of any offset and precision as fixed-width UTC.

    Raises:
        ValueError: see `to_ms`.

    """
    return to_utc(to_ms(text))


def said(text: str) -> str:
    """Return a time that a request says, as `normalised` does, if a rule may be due at it.

    Raises:
        ValueError: see `normalised`; or it lies behind the year 2285.

    """
    found = normalised(text)
    if found >= "2286":  # before LAST_MS, for a hold-back is added to it
        raise ValueError("must lie before the year 2286")
    return found


def require_fixed(text: str) -> str:
    """Return `text` if it is a fixed-width UTC time already; consumers of events sort by its bytes.

    Raises:
        ValueError: it is not.

    """
    if not _FIXED.fullmatch(text):
        raise ValueError("must be a fixed-width UTC time")
    return text


def require_known(text: str, *, at_ms: int) -> str:
    """Return `text` if it is a fixed-width UTC time of which one could speak at `at_ms`.

    Raises:
        ValueError: it is no such time, does not exist, or lies further ahead than a client's clock may be.

    """
    if _ms_of(require_fixed(text)) > at_ms + MAX_AHEAD_MS:
        raise ValueError("must not lie ahead of what speaks of it")
    return text


def date(text: str) -> str:
    """Return `text` if it is a date.

    Raises:
        ValueError: it is not, or does not exist.

    """
    first_of(_require_date(text))
    return text


def first_of(text: str) -> str:
    """Return the beginning of a range: a time, or a date, which begins at midnight UTC.

    Raises:
        ValueError: it is neither.

    """
    return normalised(f"{text}T00:00" if _DATE.fullmatch(text) else text)


def last_of(text: str) -> str:
    """Return the end of a range: a time, or a date, which ends with its last millisecond.

    Raises:
        ValueError: it is neither.

    """
    return normalised(f"{text}T23:59:59.999" if _DATE.fullmatch(text) else text)


def _require_date(text: str) -> str:
    if not _DATE.fullmatch(text):
        raise ValueError("must be a date such as 2026-11-21")
    return text
