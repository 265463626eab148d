"""Mentions of a person: found in every encoding, as whole words, and nothing beside them changes."""

import json
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Final
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from andon.tools.erase.mentions import Mentions, ids_with

ID: Final = "op-17"
NAMES: Final = ("Ana", "Ana Muñoz", "O'Brien", 'Jo "Mad\\Max" Li', "Øyvind", "田中", "𐐷ana", "Zoë-Ann", "An4")

Encode = Callable[[str], str]


def escaped(text: str, *, levels: int, ascii_only: bool) -> str:
    """Write a text as JSON within JSON, without the outermost quotes."""
    for _ in range(levels):
        text = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
    return text


ENCODINGS: Final[dict[str, Encode]] = {
    "as it is": str,
    **{
        f"JSON, {levels} levels{', ASCII' * ascii_only}": partial(escaped, levels=levels, ascii_only=ascii_only)
        for levels in (1, 2, 3)
        for ascii_only in (False, True)
    },
    "in a URL": partial(quote, safe=""),
    "in a query": quote_plus,
}

# Letters that are in no name, so that only the planted ones are found; what JSON and URLs escape.
OTHERS: Final = st.text(st.sampled_from('xyzß ,.;:!?"\\/\n\t\r%+-“\u2028é\u0301😀𐐨'), max_size=12)


def is_apart(text: str, *, at_end: bool) -> bool:
    """Return True if a word may follow or precede a text and is one of its own."""
    one = text[-1:] if at_end else text[:1]
    return not one or unicodedata.category(one)[0] not in "LMN"


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
@given(
    name=st.sampled_from(NAMES),
    decomposed=st.booleans(),
    before=OTHERS,
    after=OTHERS,
    count=st.integers(1, 3),
)
def test_a_mention_is_replaced_and_all_else_is_the_same_however_it_is_encoded(
    encode: Encode, name: str, before: str, after: str, count: int, *, decomposed: bool
) -> None:
    assume(is_apart(before, at_end=True) and is_apart(after, at_end=False))
    assume(not (encode is str and before.endswith(("\\", "%"))))  # of raw text nobody knows whether it is an escape
    written = unicodedata.normalize("NFD" if decomposed else "NFC", name)

    replaced = Mentions(NAMES, ID).replaced(encode(before + f"{written} " * count + after))

    assert replaced.text == encode(before + f"{ID} " * count + after)
    assert (replaced.found, replaced.kept) == (count, 0)


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
@given(name=st.sampled_from(("Ana", "Øyvind", "Zoë-Ann")), beside=st.sampled_from("xéß7\u0301𐐨"), before=st.booleans())
def test_a_part_of_a_longer_word_is_no_mention(encode: Encode, name: str, beside: str, *, before: bool) -> None:
    assume(not (before and beside == "\u0301"))  # an accent belongs to what is before it
    text = encode(f"- {beside}{name} -" if before else f"- {name}{beside} -")

    assert Mentions([name], ID).replaced(text).text == text


@given(text=st.text(), document=st.booleans())
def test_a_text_without_a_mention_is_the_same_object(text: str, *, document: bool) -> None:
    assume(not any(name[:2] in unicodedata.normalize("NFC", text) for name in NAMES))

    replaced = Mentions(NAMES, ID).replaced(text, document=document)

    assert replaced.text is text
    assert replaced.found == 0


@given(
    st.lists(
        st.sampled_from((*NAMES, "ana", "Anastasia", "\\", "\\\\", "u", "n", " ", '"', "%", "41", "x")), max_size=9
    )
)
def test_a_second_time_changes_nothing(parts: list[str]) -> None:
    mentions = Mentions(NAMES, ID)
    once = mentions.replaced("".join(parts))

    assert mentions.replaced(once.text) == (once.text, 0, 0)


@given(
    st.recursive(
        st.sampled_from((*NAMES, "x", "C:\\", "Ana\nAna", 1, None)),
        lambda one: st.lists(one) | st.dictionaries(st.sampled_from(("Ana", "b")), one),
    )
)
def test_a_document_stays_json_with_the_same_members(value: object) -> None:
    for ascii_only in (True, False):
        document = json.dumps({"a": value}, ensure_ascii=ascii_only)
        replaced = Mentions(NAMES, ID).replaced(document, document=True).text

        assert json.loads(replaced) == without({"a": value})


def without(value: object) -> object:
    match value:
        case str():
            return Mentions(NAMES, ID).replaced(value).text
        case list():
            return [without(one) for one in value]
        case dict():
            return {name: without(one) for name, one in value.items()}
    return value


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Ana Muñozová", "op-17 Muñozová"),  # the shorter name, where the longer one is part of a word
        ("Santa Ana.", "Santa op-17."),
        ("ana ANA", "ana ANA"),
        ("Ana_1 Ana-2 Ana's", "op-17_1 op-17-2 op-17's"),
        ("田中さん", "op-17さん"),
        ("Anaさん", "op-17さん"),
        (r"\u0041na \U0041na", r"op-17 \U0041na"),
        ("%41na%20Mu%C3%B1oz+Ana", "op-17+op-17"),
    ],
)
def test_words_are_told_apart_as_people_do(text: str, left: str) -> None:
    assert Mentions(NAMES, ID).replaced(text).text == left


def test_an_id_with_a_name_in_it_is_kept_whole_in_every_encoding_and_elsewhere_the_name_goes() -> None:
    kept = ids_with(Mentions(["Ana"], ID), ["Equipment#press-Ana", "ERROR#2020", "press 7"])
    replaced = Mentions(["Ana"], ID, kept=kept).replaced(
        json.dumps({"id": "press-Ana", "note": "Ana at press-Ana\nAna"})
    )

    assert kept == {"press-Ana"}
    assert json.loads(replaced.text) == {"id": "press-Ana", "note": f"{ID} at press-Ana\n{ID}"}
    assert (replaced.found, replaced.kept) == (2, 2)


@pytest.mark.parametrize("name", ["", "A", "-Ana", "Ana ", "op"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"no name|in it"):
        Mentions(["Ana", name], ID)
