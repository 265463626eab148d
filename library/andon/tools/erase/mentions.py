"""Mentions of a person in stored text, however it is encoded, and the text with an id in their place. Pure.

A mention is one of the person's names as a whole word, in exactly that case: as it is or in NFC or NFD, escaped as JSON
does it, at up to three levels (JSON within JSON within JSON), as in a URL, or in the Base64 of what a thing published,
in whichever of `CHARSETS` it wrote. All else stays as it is, byte by byte.
"""

import binascii
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import product
from typing import Final, NamedTuple

from andon.ingress.ingress import BODY, FAILED_BODY

_SHORTEST: Final = 2
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
# The beginning and the end of a value of a member, and in it of a part of a key; DynamoDB's type may stand between.
_ID_BEFORE: Final = re.compile(
    r'"(?:[^"\\]*I[dD]|[^"\\]*Key|[^"\\]*[ps]k|id|key)\\*"\s*:\s*(?:\{\s*\\*"S\\*"\s*:\s*)?\\*"(?:[^"\\]*#)?$'
)
_ID_AFTER: Final = re.compile(r'(?:#[^"\\]*)?\\*"')
_LONGEST_KEY: Final = 2_048  # bytes of a key in DynamoDB
_END_OF_MEMBER_NAME: Final = re.compile(r'(?:[^"\\]|\\[^"])*"\s*:')


WIDE: Final = ("utf-16-le", "utf-16-be")
CHARSETS: Final = (
    *("utf-8", "cp1252", "iso8859-15", "cp1250", "cp1251", "cp1253", "cp1254", "cp1257", "cp437", "cp850", "mac-roman"),
    *("cp932", "gb18030", "cp949", "big5", *WIDE),
)
"""The character sets in which a thing may have written what came in Base64: nothing says which one it was."""

# Of a message that was cut the Base64 may end anywhere. JSON within JSON has backslashes before its quotes.
_BASE64: Final = re.compile(rf'"(?:{BODY}|{FAILED_BODY})\\*"\s*:\s*\\*"([A-Za-z0-9+/]{{2,}}={{0,2}})')


class Replaced(NamedTuple):
    """A text, how many mentions in it were replaced, and how many stay: in ids, and in the names of members."""

    text: str
    found: int = 0
    kept: int = 0


class _Part(NamedTuple):
    """A part of a text with mentions, and what stands there without those that are found."""

    start: int
    end: int
    left: str
    found: int
    kept: int


class _Bytes(NamedTuple):
    left: bytes
    found: int
    kept: int


class Mentions:
    """The mentions of a person by some names, each replaced by `id_`.

    kept: ids with a name in them, which are left whole wherever they stand, for a key cannot be changed. One that is a
    name and nothing else is left where it is an id, by the name of its member: `equipmentId`, `pk`.

    Raises:
        ValueError: a name is too short, begins or ends with no letter or digit, or stands in the id.

    """

    def __init__(self, names: Iterable[str], id_: str, *, kept: Iterable[str] = ()) -> None:
        forms = {unicodedata.normalize(form, name) for name in names for form in ("NFC", "NFD")} | {*names}
        self.forms = tuple(sorted(forms, key=lambda form: (-len(form), form)))
        self.id, self.kept = id_, frozenset(kept)
        for form in self.forms:
            if len(form) < _SHORTEST or not _is_word(form[0]) or not _is_word(form[-1]):
                raise ValueError(f"{form!r} is no name: two characters at least, a letter or a digit at both ends")
        if self.replaced(id_).found:
            raise ValueError(f"the id {id_} has the name in it: nothing could be replaced by it")

    def replaced(self, text: str, *, document: bool = False, member: str = "") -> Replaced:
        """Return a text without mentions.

        document: it is JSON, and the names of its members stay. member: the name of the one whose value the text is.
        """
        encoded = _joined(text, self._in_base64(text))
        plain = _joined(encoded.text, self._in(encoded.text, document=document, member=member))
        return Replaced(plain.text, encoded.found + plain.found, encoded.kept + plain.kept)

    def _in_base64(self, text: str) -> Iterator[_Part]:
        for match in _BASE64.finditer(text):
            said = self._in_bytes(_of_base64(match[1]))
            if said.found or said.kept:
                yield _Part(*match.span(1), _to_base64(said.left), said.found, said.kept)

    def _in_bytes(self, said: bytes) -> _Bytes:
        """Return bytes without mentions in any character set."""
        found = kept = 0
        for mentions, charset in product(self._one_by_one, CHARSETS):
            errors = "surrogatepass" if charset in WIDE else "surrogateescape"
            if (
                charset in WIDE and b"\0" not in said
            ):  # pairs of bytes that are ASCII would make names of two ideographs
                continue
            end = len(said) // 2 * 2 if charset in WIDE else len(said)
            replaced = mentions.replaced(said[:end].decode(charset, errors))
            kept = max(kept, replaced.kept)
            if replaced.found:
                found += replaced.found
                said = _in_charset(replaced.text, charset, errors) + said[end:]
        return _Bytes(said, found, kept)

    def _in(self, text: str, *, document: bool, member: str) -> Iterator[_Part]:
        at = 0 if self._may_be_in(text) else len(text)
        while match := self._anywhere.search(text, at):
            mention = self._at(text, match.start(), document=document, member=member)
            if mention:
                yield mention
            at = mention.end if mention else match.start() + 1

    def _at(self, text: str, start: int, *, document: bool, member: str) -> _Part | None:
        """Return the mention that begins at a place, by the longest name; None: there is none."""
        for pattern in self._patterns:
            match = pattern.match(text, start)
            if match is None:
                continue
            first = start + _literal_backslashes(match[0])
            if not _is_whole(text, first, match.end()):
                continue
            is_member_name = document and _END_OF_MEMBER_NAME.match(text, match.end())
            if is_member_name or self._is_kept(text, first, match.end(), member):
                return _Part(first, match.end(), text[first : match.end()], 0, 1)
            return _Part(first, match.end(), self.id, 1, 0)
        return None

    def _is_kept(self, text: str, start: int, end: int, member: str) -> bool:
        """Return True if a mention is part of an id that is kept, or is one and stands where ids do."""
        said = text[start:end]
        for one in self.kept:
            if one == said:
                return _stands_as_id(text, start, end, member)
            place = one.find(said)
            if place >= 0 and text[max(0, start - place) :].startswith(one) and _ends(text, start - place, one):
                return True
        return False

    @cached_property
    def _one_by_one(self) -> tuple["Mentions", ...]:
        """The mentions of each name, the longest first: a part of it may be the same in more character sets."""
        return tuple(Mentions([form], self.id, kept=self.kept) for form in self.forms)

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


def ids_in(key: str, mentions: Mentions) -> Iterator[str]:
    """Yield the parts of a key, which `#` separates, that have a mention in them."""
    yield from (part for part in key.split("#") if mentions.replaced(part).found)


def _joined(text: str, parts: Iterable[_Part]) -> Replaced:
    """Return a text with its parts as they are left; the same object if no mention is found in any."""
    left, at, found, kept = list[str](), 0, 0, 0
    for part in parts:
        left += [text[at : part.start], part.left]
        at, found, kept = part.end, found + part.found, kept + part.kept
    return Replaced("".join([*left, text[at:]]) if found else text, found, kept)


def _of_base64(text: str) -> bytes:
    """Return the bytes of Base64 that may have been cut: those that are whole."""
    digits = text.rstrip("=")
    digits = digits[: len(digits) - (len(digits) % 4 == 1)]
    return binascii.a2b_base64(digits + "=" * (-len(digits) % 4))


def _in_charset(text: str, charset: str, errors: str) -> bytes:
    try:
        return text.encode(charset, errors)
    except UnicodeEncodeError:  # the id has characters that it lacks
        return text.encode(charset, "backslashreplace")


def _to_base64(said: bytes) -> str:
    return binascii.b2a_base64(said, newline=False).decode()


def _stands_as_id(text: str, start: int, end: int, member: str) -> bool:
    before, after = text[max(0, start - _LONGEST_KEY) : start], text[end : end + _LONGEST_KEY]
    if member:
        before, after = f'"{member}":"{before}', f'{after}"'
    return bool(_ID_BEFORE.search(before) and _ID_AFTER.match(after))


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
    """Yield the patterns of a character's escape in JSON; and of its byte's, where a decoder let one pass."""
    for byte in b"" if character.isascii() else character.encode("cp1252", "ignore"):
        yield f"{backslashes}u(?i:dc{byte:02x})"
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
