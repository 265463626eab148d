"""What clients write: identifiers, which are compared and stand in keys and paths, and texts, which are only read.

Both are brought to Unicode's normalisation form C, so that two that look the same are the same, and hold nothing that
cannot be seen: no control, format, surrogate or non-character. SQS refuses U+FFFE and U+FFFF in a message.
Lengths are checked as sent, before any work is done upon a text, and again after normalisation, which can lengthen it.
"""

import re
import unicodedata
from typing import Final

MAX_ID_CHARACTERS: Final = 128

# What separates paths and queries: the HTTP API decodes a path, and an id may be cut off at what was `%3F`.
SEPARATORS: Final = "/?%"
RELATIVE: Final = frozenset({".", ".."})  # clients and proxies take them out of a path

LINES: Final = "\t\n\r"
NONCHARACTERS: Final = "\ufdd0-\ufdef" + "".join(
    f"{chr(end)}-{chr(end + 1)}" for end in range(0xFFFE, 0x110000, 0x10000)
)

_NONCHARACTER = re.compile(f"[{NONCHARACTERS}]")
_UNSEEN = frozenset({"Cc", "Cf", "Cs"})


def identifier(text: str) -> str:
    """Return `text` as an identifier: 1 to 128 printable characters, normalised, no space at its ends, no `/?%`.

    Raises:
        ValueError: it can be none.

    """
    normalised = _normalised(text, longest=MAX_ID_CHARACTERS)
    if not normalised or not normalised.isprintable():
        raise ValueError(f"must be 1 to {MAX_ID_CHARACTERS} printable characters")
    if any(character in SEPARATORS for character in normalised):
        raise ValueError("must not have one of / ? % in it")
    if normalised != normalised.strip():
        raise ValueError("must not begin or end with a space")
    if normalised in RELATIVE:
        raise ValueError("must not be . or ..")
    return normalised


def line(text: str, *, longest: int) -> str:
    """Return `text` as one line: 1 to `longest` characters, normalised, not blank.

    Raises:
        ValueError: it is none.

    """
    normalised = _seen(text, longest=longest, besides="")
    if not normalised.strip():
        raise ValueError("must not be blank")
    return normalised


def lines(text: str, *, longest: int) -> str:
    """Return `text` as any number of lines: up to `longest` characters, normalised.

    Raises:
        ValueError: it has other control characters in it than line breaks and tabs, or what cannot be seen.

    """
    return _seen(text, longest=longest, besides=LINES)


def _seen(text: str, *, longest: int, besides: str) -> str:
    normalised = _normalised(text, longest=longest)
    is_unseen = any(unicodedata.category(one) in _UNSEEN and one not in besides for one in normalised)
    if is_unseen or _NONCHARACTER.search(normalised):
        allowed = " but tabs and line breaks" if besides else ""
        raise ValueError(f"must be printable: no control, invisible or non-characters{allowed}")
    return normalised


def _normalised(text: str, *, longest: int) -> str:
    if len(text) <= longest:
        normalised = unicodedata.normalize("NFC", text)
        if len(normalised) <= longest:
            return normalised
    raise ValueError(f"must be at most {longest} printable characters")
