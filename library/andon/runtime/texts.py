"""Input of clients: identifiers, which are compared and stand in keys and paths, and texts, which are only read.

Both are brought to Unicode's normalisation form C, so that two that look the same are the same, and hold nothing that
cannot be seen (Unicode's category C): no control, format, private-use, surrogate or non-character. SQS refuses a
message with U+FFFE or U+FFFF in it. Of formats a text may have the joiners U+200C and U+200D where a script needs them
(RFC 5892, A.1 and A.2) or an emoji, and the tags of an emoji flag: Persian, Sinhala and many emoji cannot do without.
Lengths are checked as sent, before any work is done upon a text, and again after normalisation, which can lengthen it.
"""

import re
import unicodedata
from typing import Final

MAX_ID_CHARACTERS: Final = 128

# What separates paths and queries: the HTTP API decodes a path, and an id may be cut off at what was `%3F`.
_SEPARATORS: Final = "/?%"
RELATIVE: Final = frozenset({".", ".."})  # clients and proxies take them out of a path

# Default_Ignorable_Code_Point, of those that `str.isprintable` takes for printable, and Braille's blank: they show
# nothing, so that an id with one of them looks like another id, or like none.
# https://www.unicode.org/Public/UCD/latest/ucd/DerivedCoreProperties.txt
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)

# Joining_Type of the letters of scripts that are written today: those that join to the next letter (D, and the few of
# L), and those that join to the one before alone (R).
# https://www.unicode.org/Public/14.0.0/ucd/extracted/DerivedJoiningType.txt
_DUAL_JOINING: Final = (
    "\u0620\u0626\u0628\u062a-\u062e\u0633-\u063f\u0641-\u0647\u0649\u064a\u066e\u066f\u0678-\u0687\u069a-\u06bf"
    "\u06c1\u06c2\u06cc\u06ce\u06d0\u06d1\u06fa-\u06fc\u06ff\u0712-\u0714\u071a-\u071d\u071f-\u0727\u0729\u072b\u072d"
    "\u072e\u074e-\u0758\u075c-\u076a\u076d-\u0770\u0772\u0775-\u0777\u077a-\u077f\u07ca-\u07ea\u0841-\u0845\u0848"
    "\u084a-\u0853\u0855\u0860\u0862-\u0865\u0868\u0886\u0889-\u088d\u08a0-\u08a9\u08af\u08b0\u08b3-\u08b8"
    "\u08ba-\u08c8\u1807\u1820-\u1878\u1887-\u18a8\u18aa\ua840-\ua872\U00010d00-\U00010d21\U00010d23"
    "\U0001e900-\U0001e943"
)
_RIGHT_JOINING: Final = (
    "\u0622-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd"
    "\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef\u0710\u0715-\u0719\u071e\u0728\u072a\u072c\u072f\u074d\u0759-\u075b\u076b"
    "\u076c\u0771\u0773\u0774\u0778\u0779\u0840\u0846\u0847\u0849\u0854\u0856-\u0858\u0867\u0869\u086a\u0870-\u0882"
    "\u088e\u08aa-\u08ac\u08ae\u08b1\u08b2\u08b9\U00010d22"
)

_NON_JOINER: Final = "\u200c"
_JOINER: Final = "\u200d"
_VIRAMA: Final = 9  # https://www.unicode.org/reports/tr44/#Canonical_Combining_Class_Values
_JOINS_NEXT: Final = re.compile(f"[{_DUAL_JOINING}]")
_JOINS_BEFORE: Final = re.compile(f"[{_DUAL_JOINING}{_RIGHT_JOINING}]")

# What joiners make one picture of, and what may follow a picture: a variation selector and tones of skin.
# https://www.unicode.org/reports/tr51/#Emoji_ZWJ_Sequences
_PICTURE: Final = re.compile("[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]")
_OF_PICTURE: Final = frozenset("\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")

# Flags of regions, as Scotland's: https://www.unicode.org/reports/tr51/#def_emoji_tag_sequence
_FLAG: Final = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")

LINES: Final = "\t\n\r"


def identifier(text: str) -> str:
    """Return `text` as an identifier: 1 to 128 visible characters, normalised, no space at its ends, no `/?%`.

    Raises:
        ValueError: it can be none.

    """
    normalised = _normalised(text, longest=MAX_ID_CHARACTERS)
    if not normalised or not normalised.isprintable() or _INVISIBLE.search(normalised):
        raise ValueError(f"must be 1 to {MAX_ID_CHARACTERS} printable characters")
    if any(character in _SEPARATORS for character in normalised):
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
    if not normalised.isprintable():
        bare = _FLAG.sub("", normalised)
        if any(_is_other(one) and one not in besides and not _joins(bare, at) for at, one in enumerate(bare)):
            raise ValueError("must be printable" + (", but for tabs and line breaks" if besides else ""))
    return normalised


def _joins(text: str, at: int) -> bool:
    """Return True if a joiner stands at a place of a text where it changes how its neighbours are written."""
    if text[at] not in {_NON_JOINER, _JOINER}:
        return False
    if at and unicodedata.combining(text[at - 1]) == _VIRAMA:
        return True
    is_passed = _OF_PICTURE.__contains__ if text[at] == _JOINER else _is_mark
    before, after = at - 1, at + 1
    while before >= 0 and is_passed(text[before]):
        before -= 1
    while text[at] == _NON_JOINER and after < len(text) and is_passed(text[after]):
        after += 1
    if before < 0 or after == len(text):
        return False
    if text[at] == _JOINER:
        return bool(_PICTURE.match(text[before]) and _PICTURE.match(text[after]))
    return bool(_JOINS_NEXT.match(text[before]) and _JOINS_BEFORE.match(text[after]))


def _is_mark(character: str) -> bool:
    """Return True if joining passes over a character: it is a mark upon a letter."""
    return unicodedata.category(character) in {"Mn", "Me"}


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
