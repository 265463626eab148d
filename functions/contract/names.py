"""How things are named: pieces of equipment, people, states."""

import re

MAX_ID_CHARACTERS = 128

STATE_PATTERN = r"^[A-Z][A-Z0-9_]{0,31}$"
NORMAL = "NORMAL"

_STATE = re.compile(STATE_PATTERN, re.ASCII)
_STATE_FILTER = re.compile(r"[A-Z][A-Z0-9_]{0,31}\*?", re.ASCII)


def identifier(text: str) -> str:
    """Return `text` if it can be an identifier: 1 to 128 printable characters without `/`.

    Raises:
        ValueError: it cannot.

    """
    if not 1 <= len(text) <= MAX_ID_CHARACTERS or not text.isprintable() or "/" in text:
        raise ValueError(f"must be 1 to {MAX_ID_CHARACTERS} printable characters without /")
    return text


def part(text: str) -> str:
    """Return `text` if it can name a part of equipment: an identifier without `#`, which separates keys.

    Raises:
        ValueError: it cannot.

    """
    if "#" in identifier(text):
        raise ValueError("must not have a # in it")
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
    if not _STATE_FILTER.fullmatch(text):
        raise ValueError("must be a state such as WARNING1, or its beginning and a * such as WARNING*")
    return text
