"""The names of states, of levels of a location, of clock times."""

import re

from andon.runtime import times
from andon.runtime.json_types import JsonObject

STATE_PATTERN = r"^[A-Z][A-Z0-9_]{0,31}$"
LEVEL_PATTERN = r"^[a-z][a-z0-9-]{0,31}$"
ORDER_KIND_PATTERN = LEVEL_PATTERN
CALL_NAME_PATTERN = LEVEL_PATTERN
SHA256_PATTERN = r"^[0-9a-f]{64}$"
CLOCK_PATTERN = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"
WALL_TIME_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]$"
TROUBLE_PATTERN = r"^(?:[A-Z][A-Z0-9_]{0,31}\*?|call:[a-z][a-z0-9-]{0,31})$"
STATE_FILTER_PATTERN = r"^[A-Z][A-Z0-9_]{0,31}\*?$"
NORMAL = "NORMAL"


def schema(pattern: str) -> JsonObject:
    """Return the JSON schema of a text that fits a pattern."""
    return {"type": "string", "pattern": pattern}


# The others are compiled where one is asked for: whoever handles events needs states alone.
_STATE = re.compile(STATE_PATTERN, re.ASCII)


def level(text: str) -> str:
    """Return `text` if it can name a level of a location.

    Raises:
        ValueError: it cannot.

    """
    if not _fits(LEVEL_PATTERN, text):
        raise ValueError(f"must match {LEVEL_PATTERN}")
    return text


def order_kind(text: str) -> str:
    """Return `text` if it can name a kind of maintenance, or a reading of it.

    Raises:
        ValueError: it cannot.

    """
    return level(text)


def call_name(text: str) -> str:
    """Return `text` if it can name a category of calls, a cause, or an icon.

    Raises:
        ValueError: it cannot.

    """
    return level(text)


def chain(text: str) -> str:
    """Return `text` if it can name a chain.

    Raises:
        ValueError: it cannot.

    """
    return level(text)


def clock(text: str) -> str:
    """Return `text` if it is a clock's time, as `22:00`.

    Raises:
        ValueError: it is not.

    """
    if not _fits(CLOCK_PATTERN, text):
        raise ValueError("must be the time of a clock, such as 22:00")
    return text


def wall_time(text: str) -> str:
    """Return `text` if it is a day and a clock's time on it, as `2026-12-24T22:00`.

    Raises:
        ValueError: it is not.

    """
    if not _fits(WALL_TIME_PATTERN, text):
        raise ValueError("must be a day and the time of a clock, such as 2026-12-24T22:00, without an offset")
    times.date(text[:10])
    return text


def trouble(text: str) -> str:
    """Return `text` if a chain can begin on it: a state, the beginning of one and a `*`, or a call of a category.

    Raises:
        ValueError: it cannot.

    """
    if not _fits(TROUBLE_PATTERN, text):
        raise ValueError("must be a state such as ERROR, its beginning and a * such as WARNING*, or a call:material")
    if text == NORMAL:
        raise ValueError("must be no NORMAL: nobody needs help then")
    return text


def state(text: str) -> str:
    """Return `text` if it can name a state.

    Raises:
        ValueError: it cannot.

    """
    if not _STATE.fullmatch(text):
        raise ValueError(f"must match {STATE_PATTERN}")
    return text


def state_filter(text: str) -> str:
    """Return `text` if it is a state, or the beginning of one and a `*`.

    Raises:
        ValueError: it is neither.

    """
    if not _fits(STATE_FILTER_PATTERN, text):
        raise ValueError("must be a state such as WARNING1, or its beginning and a * such as WARNING*")
    return text


def sha256(text: str) -> str:
    """Return `text` if it is a SHA-256 in small hexadecimal digits.

    Raises:
        ValueError: it is not.

    """
    if not _fits(SHA256_PATTERN, text):
        raise ValueError("must be 64 hexadecimal digits, in small letters")
    return text


def _fits(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text, re.ASCII) is not None
