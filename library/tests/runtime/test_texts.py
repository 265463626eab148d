import json
import re
import sys
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from idna.core import valid_contextj

from andon.runtime import texts
from andon.runtime.tried import tried

NONCHARACTERS = [
    *map(chr, range(0xFDD0, 0xFDF0)),
    *(chr(plane * 0x10000 + end) for plane in range(17) for end in (0xFFFE, 0xFFFF)),
]
INVISIBLE = ["\u200b", "\u202e", "\u2066", "\ufeff", "\u00ad", "\U000e0041"]
# What isprintable() takes for printable, of Unicode's Default_Ignorable_Code_Point, and Braille's blank.
UNSEEN = [
    *map(chr, [0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0]),
    *map(chr, range(0xFE00, 0xFE10)),
    *map(chr, range(0xE0100, 0xE01F0)),
]
CONTROLS = ["\x00", "\x1b", "\x7f", "\x85"]


def line(text: str) -> str:
    return texts.line(text, longest=1000)


def lines(text: str) -> str:
    return texts.lines(text, longest=1000)


KINDS = [texts.identifier, line, lines]


@pytest.mark.parametrize("text", ["a?b", "?", "a%3Fb", "100%", "a/b"])
def test_an_identifier_that_the_gateway_could_cut_off_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="/ \\? %"):
        texts.identifier(text)


@given(st.text(max_size=140))
@example("\u0958" * 128)
@example("e\u0301" * 70)
@example("🏭" * 128)
@example("..")
@example("\u00a0a")
@example("a.b#1")
def test_an_identifier_is_normalised_printable_and_cannot_be_cut_off(text: str) -> None:
    normalised = unicodedata.normalize("NFC", text)
    valid = (
        1 <= len(text) <= 128
        and len(normalised) <= 128
        and normalised.isprintable()
        and not set(normalised) & {*"/?%", *UNSEEN}
        and normalised.strip() == normalised
        and normalised not in {".", ".."}
    )
    try:
        assert texts.identifier(text) == normalised
        accepted = True
    except ValueError:
        accepted = False
    assert accepted == valid


def test_an_identifier_has_no_character_that_nobody_sees() -> None:
    for one in UNSEEN:
        for text in (one, f"a{one}", f"a{one}b"):
            with pytest.raises(ValueError, match="printable"):
                texts.identifier(text)


def test_what_is_printable_is_of_no_category_that_is_refused() -> None:
    printable = filter(str.isprintable, map(chr, range(sys.maxunicode + 1)))

    assert not {one for one in map(unicodedata.category, printable) if one.startswith("C")}


@pytest.mark.parametrize("kind", [line, lines])
def test_a_text_of_nothing_but_what_nobody_sees_is_blank(kind: Callable[[str], str]) -> None:
    with pytest.raises(ValueError, match="blank"):
        kind("\u3164 \u2800\ufe0f")
    assert kind("\u26a0\ufe0f hot") == "\u26a0\ufe0f hot"


def test_a_word_is_an_identifier_without_a_space() -> None:
    assert texts.word("press-7") == "press-7"
    with pytest.raises(ValueError, match="space"):
        texts.word("press 7")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("sent", "kept"), [("me\u0301xico", "m\u00e9xico"), ("\u212b", "\u00c5"), ("\u1112\u1161", "\ud558")], ids=ascii
)
def test_two_texts_that_differ_by_normalisation_only_are_one(kind: Callable[[str], str], sent: str, kept: str) -> None:
    assert kind(sent) == kind(kept) == kept


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("character", [*NONCHARACTERS, *INVISIBLE, *CONTROLS, "\ud800"], ids=ascii)
def test_what_cannot_be_seen_and_what_a_queue_refuses_is_in_no_text(kind: Callable[[str], str], character: str) -> None:
    with pytest.raises(ValueError, match="printable"):
        kind(f"a{character}b")


JOINED = {
    "Persian": "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "Persian, a mark between": "\u0628\u064e\u200c\u064e\u0628",
    "Sinhala": "\u0dc1\u0dca\u200d\u0dbb\u0dd3",
    "Malayalam, at the end": "\u0d05\u0d35\u0d28\u0d4d\u200d",
    "Kannada": "\u0cb0\u0ccd\u200c\u0c95",
    "nobody's shrug": "no coils \U0001f937\u200d\u2642\ufe0f",
    "a shrug of some skin": "\U0001f937\U0001f3fd\u200d\u2640\ufe0f!",
    "a family": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "a rainbow": "\U0001f3f3\ufe0f\u200d\U0001f308",
    "a heart on fire": "\u2764\ufe0f\u200d\U0001f525",
    "a nod": "\U0001f642\u200d\u2195\ufe0f",
    "a flag": "\U0001f1ee\U0001f1f7",
    "Scotland's flag": "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "a keycap": "press 1\ufe0f\u20e3",
}
JOINING_NOTHING = {
    "alone": "\u200d",
    "at the beginning": "\u200c\u0628",
    "at the end": "\u0628\u200c",
    "between Latin letters": "a\u200cb",
    "between Latin letters, joining": "a\u200db",
    "twice": "\u0628\u200c\u200c\u0628",
    "behind a letter that does not join": "\u0627\u200c\u0628",
    "a joiner between letters that join anyway": "\u0628\u200d\u0628",
    "before a picture alone": "a\u200d\U0001f525",
    "behind a picture alone": "\U0001f525\u200da",
    "a non-joiner between pictures": "\U0001f525\u200c\U0001f525",
    "tags behind a letter": "a\U000e0067\U000e0062\U000e0073\U000e007f",
    "tags without an end": "\U0001f3f4\U000e0067\U000e0062\U000e0073",
    "a hidden text of tags": "\U0001f3f4" + "\U000e0068" * 7 + "\U000e007f",
}


@pytest.mark.parametrize("kind", [line, lines])
@pytest.mark.parametrize("text", JOINED.values(), ids=JOINED)
def test_a_text_has_joiners_and_tags_where_a_script_or_a_picture_needs_them(
    kind: Callable[[str], str], text: str
) -> None:
    assert kind(text) == text
    if "\u200c" in text or "\u200d" in text:
        with pytest.raises(ValueError, match="printable"):
            texts.identifier(text)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", JOINING_NOTHING.values(), ids=JOINING_NOTHING)
def test_what_joins_nothing_is_in_no_text(kind: Callable[[str], str], text: str) -> None:
    with pytest.raises(ValueError, match="printable"):
        kind(text)


DEAD_SCRIPTS = {*map(chr, range(0x10AC0, 0x10D00)), *map(chr, range(0x10F00, 0x11000))}
WRITTEN = [one for one in map(chr, range(0x11000)) if one.isprintable() and one not in {*DEAD_SCRIPTS, *UNSEEN}]
ARABIC = [one for one in WRITTEN if "\u0600" <= one < "\u0700"]


@given(st.text(st.sampled_from(ARABIC) | st.sampled_from(WRITTEN) | st.sampled_from("\u200c\u200d"), max_size=8))
def test_joiners_stand_where_domain_names_may_have_them(text: str) -> None:
    """RFC 5892, A.1 and A.2, as another implementation reads them; beside pictures we take more."""
    assume(text.strip() and not re.search("[\u2190-\u2bff]", text))
    normalised = unicodedata.normalize("NFC", text)
    joiners = [at for at, one in enumerate(normalised) if one in "\u200c\u200d"]

    valid = all(valid_contextj(normalised, at) for at in joiners)

    assert (tried(line, text) == normalised) == valid


@pytest.mark.parametrize("text", ["", " ", "\u3000", "\u00a0 "], ids=ascii)
def test_a_line_is_not_blank(text: str) -> None:
    with pytest.raises(ValueError, match="blank"):
        line(text)


@pytest.mark.parametrize("character", ["\t", "\n", "\r"], ids=ascii)
def test_only_lines_have_breaks_and_tabs(character: str) -> None:
    assert lines(f"a{character}b") == f"a{character}b"
    with pytest.raises(ValueError, match="printable"):
        line(f"a{character}b")


def test_lines_may_be_none_but_not_blank() -> None:
    assert lines("") == ""
    with pytest.raises(ValueError, match="blank"):
        lines(" \n")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("character", ["x", "\u0958"], ids=ascii)
def test_what_is_too_long_after_normalisation_is_refused_too(kind: Callable[[str], str], character: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        kind(character * 1001)
    if character != "x":
        with pytest.raises(ValueError, match="at most"):
            kind(character * 1000)


@given(st.text(max_size=50))
def test_what_is_accepted_is_the_same_the_second_time_and_can_be_sent(text: str) -> None:
    for kind in KINDS:
        try:
            kept = kind(text)
        except ValueError:
            continue
        assert kind(kept) == kept
        assert json.loads(json.dumps(kept).encode()) == kept
