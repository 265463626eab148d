"""Input of clients: identifiers, which are compared and stand in keys and paths, and texts, which are only read.

Both are brought to Unicode's normalisation form C, so that two that look the same are the same, and hold nothing that
cannot be seen (Unicode's category C): no control, format, private-use, surrogate or non-character. SQS refuses a
message with U+FFFE or U+FFFF in it.
Lengths are checked as sent, before any work is done upon a text, and again after normalisation, which can lengthen it.
"""

import re
import unicodedata
from typing import Final

MAX_ID_CHARACTERS: Final = 128

# What separates paths and queries: the HTTP API decodes a path, and an id may be cut off at what was `%3F`.
SEPARATORS: Final = "/?%"
RELATIVE: Final = frozenset({".", ".."})  # clients and proxies take them out of a path

# Default_Ignorable_Code_Point, of those that `str.isprintable` takes for printable, and Braille's blank: they show
# nothing, so that an id with one of them looks like another id, or like none.
# https://www.unicode.org/Public/UCD/latest/ucd/DerivedCoreProperties.txt
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)

LINES: Final = "\t\n\r"


def identifier(text: str) -> str:
    """Return `text` as an identifier: 1 to 128 visible characters, normalised, no space at its ends, no `/?%`.

    Raises:
        ValueError: it can be none.

    """
    normalised = _normalised(text, longest=MAX_ID_CHARACTERS)
    if not normalised or not normalised.isprintable() or _INVISIBLE.search(normalised):
        raise ValueError(f"must be 1 to {MAX_ID_CHARACTERS} printable characters")
    if any(character in SEPARATORS for character in normalised):
        raise ValueError("must not have one of / ? % in it")
    if normalised != normalised.strip():
        raise ValueError("must not begin or end with a space")
    if normalised in RELATIVE:
        raise ValueError("must not be . or ..")
    return normalised


def word(text: str) -> str:
    """Return `text` as an identifier that a user of Cognito may be called by: one without a space.

    https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminCreateUser.html

    Raises:
        ValueError: it can be none.

    """
    return _identifier_without(" ", "a space", text)


def part(text: str) -> str:
    """Return `text` as a part of a key: an identifier without `#`, which separates the parts.

    Raises:
        ValueError: it can be none.

    """
    return _identifier_without("#", "a #", text)


def line(text: str, *, longest: int) -> str:
    """Return `text` as one line: 1 to `longest` characters, normalised, not blank.

    Raises:
        ValueError: it is none.

    """
    return _not_blank(_seen(text, longest=longest, besides=""))


def lines(text: str, *, longest: int) -> str:
    """Return `text` as any number of lines: up to `longest` characters, normalised, empty or not blank.

    Raises:
        ValueError: it is blank, or has other control characters than line breaks and tabs, or what cannot be seen.

    """
    return _not_blank(_seen(text, longest=longest, besides=LINES)) if text else text


def _not_blank(text: str) -> str:
    if not _INVISIBLE.sub("", text).strip():
        raise ValueError("must not be blank")
    return text


def _seen(text: str, *, longest: int, besides: str) -> str:
    normalised = _normalised(text, longest=longest)
    # What is printable, as nearly all texts are, has no character of these categories.
    if not normalised.isprintable() and any(_is_other(one) and one not in besides for one in normalised):
        raise ValueError("must be printable" + (", but for tabs and line breaks" if besides else ""))
    return normalised


def _is_other(character: str) -> bool:
    """Return True if a character is a control, a format, a surrogate, or no character that there is."""
    return unicodedata.category(character).startswith("C")


def _normalised(text: str, *, longest: int) -> str:
    if len(text) <= longest:
        normalised = unicodedata.normalize("NFC", text)
        if len(normalised) <= longest:
            return normalised
    raise ValueError(f"must be at most {longest} printable characters")


def _identifier_without(sign: str, named: str, text: str) -> str:
    normalised = identifier(text)
    if sign in normalised:
        raise ValueError(f"must not have {named} in it")
    return normalised
