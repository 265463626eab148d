"""Mentions of a person in stored text, however it is encoded, and the text with an id in their place. Pure.

A mention is one of the person's names as a whole word, in exactly that case: as it is or in NFC or NFD, escaped as JSON
does it, at up to three levels (JSON within JSON within JSON), or as in a URL. All else stays as it is, byte by byte.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import Final, NamedTuple

SHORTEST: Final = 2
"""Characters of a name: a single letter would be found in every text."""

SURROGATES: Final = 0x10000  # JSON escapes what is beyond by two
_WORD: Final = frozenset("LMN")  # letters, marks (the accents of NFD among them), numbers
# Scripts that write no spaces between words: what stands beside a name there is no part of it.
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]"
)

_ESCAPED: Final = r"\\+u([0-9a-fA-F]{4})"
_ESCAPE_BEFORE: Final = re.compile(rf"(?:{_ESCAPED})?{_ESCAPED}$")
_ESCAPE_AFTER: Final = re.compile(rf"{_ESCAPED}(?:{_ESCAPED})?")
_CONTROL_BEFORE: Final = re.compile(r"\\[bfnrt]$")
_PERCENT_BEFORE: Final = re.compile(r"(?:%[0-9a-fA-F]{2})+$")
_PERCENT_AFTER: Final = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_ENCODED: Final = re.compile(r"\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}")
_HEAD: Final = re.compile(r"\w*")
_AROUND: Final = 40  # characters beside a mention that tell which one stands there, however it is encoded
_END_OF_MEMBER_NAME: Final = re.compile(r'"\s*:')


class Replaced(NamedTuple):
    """A text, how many mentions in it were replaced, and how many were kept: as part of an id."""

    text: str
    found: int = 0
    kept: int = 0


class _Mention(NamedTuple):
    start: int
    end: int
    is_kept: bool


class Mentions:
    """The mentions of a person by some names, each replaced by `id_`.

    kept: ids with a name in them, which are left whole wherever they stand, for a key cannot be changed.

    Raises:
        ValueError: a name is too short, begins or ends with no letter or digit, or stands in the id.

    """

    def __init__(self, names: Iterable[str], id_: str, *, kept: Iterable[str] = ()) -> None:
        forms = {unicodedata.normalize(form, name) for name in names for form in ("NFC", "NFD")} | {*names}
        self.forms = tuple(sorted(forms, key=lambda form: (-len(form), form)))
        self.id, self.kept = id_, frozenset(kept)
        for form in self.forms:
            if len(form) < SHORTEST or not _is_word(form[0]) or not _is_word(form[-1]):
                raise ValueError(f"{form!r} is no name: two characters at least, a letter or a digit at both ends")
        if self.replaced(id_).found:
            raise ValueError(f"the id {id_} has the name in it: nothing could be replaced by it")

    def replaced(self, text: str, *, document: bool = False) -> Replaced:
        """Return a text without mentions. document: it is JSON, and the names of its members stay."""
        parts, at, found, kept = list[str](), 0, 0, 0
        for mention in self._in(text, document=document):
            kept += mention.is_kept
            if not mention.is_kept:
                parts += [text[at : mention.start], self.id]
                at, found = mention.end, found + 1
        return Replaced("".join([*parts, text[at:]]) if found else text, found, kept)

    def _in(self, text: str, *, document: bool) -> Iterator[_Mention]:
        at = 0 if self._may_be_in(text) else len(text)
        while match := self._anywhere.search(text, at):
            mention = self._at(text, match.start(), document=document)
            if mention:
                yield mention
            at = mention.end if mention else match.start() + 1

    def _at(self, text: str, start: int, *, document: bool) -> _Mention | None:
        """Return the mention that begins at a place, by the longest name; None: there is none."""
        for pattern in self._patterns:
            match = pattern.match(text, start)
            if match is None:
                continue
            first = start + _literal_backslashes(match[0])
            if not _is_whole(text, first, match.end()) or (document and _is_member_name(text, first, match.end())):
                continue
            return _Mention(first, match.end(), self._is_kept(text, first, match.end()))
        return None

    def _is_kept(self, text: str, start: int, end: int) -> bool:
        """Return True if a mention is part of an id that is kept."""
        said = text[start:end]
        for one in self.kept:
            place = one.find(said)
            if place >= 0 and text[max(0, start - place) :].startswith(one) and _ends(text, start - place, one):
                return True
        return False

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(_beginning(form[0]) + "".join(map(_encoded, form[1:]))) for form in self.forms)

    @cached_property
    def _anywhere(self) -> re.Pattern[str]:
        """Any name, whole or not; what it may begin with is said first, by which `re` passes over all else quickly."""
        begins = "".join(re.escape(one) for one in sorted({form[0] for form in self.forms}))
        return re.compile(rf"(?=[{begins}\\%])(?:{'|'.join(pattern.pattern for pattern in self._patterns)})")

    @cached_property
    def _heads(self) -> set[str]:
        """The beginnings of names up to what JSON or a URL may write in another way."""
        return {head[0] for head in map(_HEAD.match, self.forms) if head}  # it matches any text

    def _may_be_in(self, text: str) -> bool:
        """Return False if a text can have no mention: neither the beginning of a name as it is, nor an escape."""
        return any(head in text for head in self._heads) or bool(_ENCODED.search(text))


def ids_with(mentions: Mentions, keys: Iterable[str]) -> Collection[str]:
    """Return the parts of keys, which `#` separates, that have a mention in them."""
    return {part for key in keys for part in key.split("#") if mentions.replaced(part).found}


def _ends(text: str, start: int, one: str) -> bool:
    """Return True if an id that stands in a text is no part of a longer one."""
    return _is_whole(text, start, start + len(one))


def _encoded(character: str) -> str:
    """Return the pattern of a character within a name."""
    ways = [re.escape(character), *_escaped(character, r"(?:\\{4}|\\{1,2})"), _percent(character)]
    if character == '"':
        ways.append(r'(?:\\{7}|\\{3}|\\)"')
    elif character == "\\":
        ways.append(r"(?:\\{8}|\\{4}|\\{2})")
    elif character == " ":
        ways.append(r"\+")
    return f"(?:{'|'.join(ways)})"


def _beginning(character: str) -> str:
    """Return the pattern of a name's first character; of an escape it has all backslashes, see `_literal_…`."""
    ways = [re.escape(character), *_escaped(character, r"(?<!\\)\\+"), _percent(character)]
    return f"(?:{'|'.join(ways)})"


def _escaped(character: str, backslashes: str) -> Iterator[str]:
    """Yield the pattern of a character's escape in JSON."""
    units = character.encode("utf-16-be").hex()
    if ord(character) < SURROGATES:
        yield f"{backslashes}u(?i:{units})"
    else:
        yield rf"{backslashes}u(?i:{units[:4]})(?:\\{{4}}|\\{{1,2}})u(?i:{units[4:]})"


def _percent(character: str) -> str:
    return "".join(f"%(?i:{byte:02x})" for byte in character.encode())


def _literal_backslashes(match: str) -> int:
    """Return the number of backslashes at the beginning of a match that stand for themselves, not for its escape.

    An escape has one at the first level, two at the second, four at the third; before it stand those of backslashes.
    """
    count = len(match) - len(match.lstrip("\\"))
    return count - min(count & -count, 4)


def _is_whole(text: str, start: int, end: int) -> bool:
    before, after = _last_of(text[max(0, start - _AROUND) : start]), _first_of(text[end : end + _AROUND])
    # The outermost characters of the mention itself, whichever way they are encoded.
    first, last = _first_of(text[start : start + _AROUND]), _last_of(text[max(0, end - _AROUND) : end])
    return not (_joins(before, first) or _joins(after, last))


def _joins(outer: str, inner: str) -> bool:
    """Return True if a character beside a name makes it part of a longer word."""
    return _is_word(outer) and not _UNSPACED.match(outer) and not _UNSPACED.match(inner)


def _is_word(character: str) -> bool:
    return bool(character) and unicodedata.category(character)[0] in _WORD


def _last_of(text: str) -> str:
    """Return the last character that a text stands for, empty if there is none."""
    if escape := _ESCAPE_BEFORE.search(text):
        return _character(escape[1], escape[2])[-1]
    if _CONTROL_BEFORE.search(text):
        return " "
    percent = _PERCENT_BEFORE.search(text)
    return (_of_percent(percent[0]) if percent else text)[-1:]


def _first_of(text: str) -> str:
    """Return the first character that a text stands for, empty if there is none."""
    if escape := _ESCAPE_AFTER.match(text):
        return _character(escape[1], escape[2])[0]
    percent = _PERCENT_AFTER.match(text)
    return (_of_percent(percent[0]) if percent else text)[:1]


def _character(first: str | None, second: str | None) -> str:
    """Return the character of one or two escapes; two halves of a pair are one character."""
    units = bytes.fromhex(f"{first or ''}{second or ''}")
    return units.decode("utf-16-be", errors="replace")


def _of_percent(text: str) -> str:
    return bytes.fromhex(text.replace("%", "")).decode(errors="replace")


def _is_member_name(text: str, start: int, end: int) -> bool:
    """Return True if all of a text between quotes that are not escaped is the name of a member."""
    before = text[max(0, start - 2) : start]
    return before.endswith('"') and not before.startswith("\\") and bool(_END_OF_MEMBER_NAME.match(text, end))
