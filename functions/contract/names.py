"""The names of states and of levels of a location."""

import re

STATE_PATTERN = r"^[A-Z][A-Z0-9_]{0,31}$"
LEVEL_PATTERN = r"^[a-z][a-z0-9-]{0,31}$"
ORDER_KIND_PATTERN = LEVEL_PATTERN
CALL_NAME_PATTERN = LEVEL_PATTERN
SHA256_PATTERN = r"^[0-9a-f]{64}$"
NORMAL = "NORMAL"

_STATE = re.compile(STATE_PATTERN, re.ASCII)
_SHA256 = re.compile(SHA256_PATTERN.rstrip("$"), re.ASCII)
_LEVEL = re.compile(LEVEL_PATTERN, re.ASCII)
_STATE_FILTER = re.compile(r"[A-Z][A-Z0-9_]{0,31}\*?", re.ASCII)


def level(text: str) -> str:
    """Return `text` if it can name a level of a location.

    Raises:
        ValueError: it cannot.

    """
    if not _LEVEL.fullmatch(text):
        raise ValueError(f"must match {LEVEL_PATTERN}")
    return text


def order_kind(text: str) -> str:
    """Return `text` if it can name a kind of maintenance, or what is measured at it.

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
    if not _STATE_FILTER.fullmatch(text):
        raise ValueError("must be a state such as WARNING1, or its beginning and a * such as WARNING*")
    return text


def sha256(text: str) -> str:
    """Return `text` if it is a SHA-256 in small hexadecimal digits.

    Raises:
        ValueError: it is not.

    """
    if _SHA256.fullmatch(text) is None:
        raise ValueError("must be 64 hexadecimal digits, in small letters")
    return text
