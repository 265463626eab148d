import json
import sys
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from andon.runtime import texts

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
