"""Mentions of a person: found in every encoding, as whole words, and nothing beside them changes."""

import base64
import json
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Final
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from andon.events.fault import MAX_MESSAGE_CHARACTERS, fault_of
from andon.testing.lambda_events import rule_message
from andon.tools.erase.mentions import CHARSETS, WIDE, Mentions, ids_in

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


def said_by_a_thing(said: bytes) -> str:
    return rule_message(said, topic="Andon/equipment/Andon:1/state", client="Andon:1", at_ms=0)


def levels_of(body: str) -> list[str]:
    """Return a message as it lies in a queue, in a fault, and in a fault that nobody could read."""
    fault = fault_of(ValueError("no"), body, consumer="equipment.ingest", now_ms=0).entities["fault"]
    return [body, json.dumps(fault), json.dumps({"message": json.dumps({"detail": fault})})]


def published_in(text: str) -> bytes:
    """Return the bytes of a message within JSON within JSON."""
    while "body" not in (members := json.loads(text)):
        text = members.get("message") or json.dumps(members["detail"])
    return base64.b64decode(members["body"], validate=True)


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("charset", CHARSETS)
@given(
    before=st.binary(max_size=9), after=st.binary(max_size=9), name=st.sampled_from(("Núñez", "Ana", "Łukasz", "田中"))
)
def test_what_a_thing_wrote_is_read_in_base64_in_any_character_set(
    charset: str, level: int, before: bytes, after: bytes, name: str
) -> None:
    try:
        written, left = (f" {one} ".encode(charset) for one in (name, ID))
    except UnicodeEncodeError:
        return
    if charset in WIDE:
        before, after = before[: len(before) // 2 * 2], after[: len(after) // 2 * 2]
        before, after = (one.replace(b"\xd8", b"").replace(b"\xdc", b"") for one in (before, after))
        assume(len(before) % 2 == len(after) % 2 == 0)
    body = levels_of(said_by_a_thing(before + written + after))[level]

    replaced = Mentions([name], ID).replaced(body, document=True)

    assert left in published_in(replaced.text)
    assert (replaced.found, Mentions([name], ID).replaced(replaced.text, document=True).found) == (1, 0)


@pytest.mark.parametrize("charset", ["cp1252", "utf-16-le"])
def test_the_longest_name_goes_first_in_any_character_set(charset: str) -> None:
    replaced = Mentions(NAMES, ID).replaced(said_by_a_thing("'Ana Muñoz'".encode(charset)), document=True)

    assert published_in(replaced.text) == f"'{ID}'".encode(charset)


@given(before=st.integers(0, 6))
def test_a_message_that_was_cut_is_read_as_far_as_it_goes(before: int) -> None:
    body = said_by_a_thing(b"\xff" * before + b" Ana " + b"\xff" * MAX_MESSAGE_CHARACTERS)
    fault = fault_of(ValueError("no"), body, consumer="equipment.ingest", now_ms=0).entities["fault"]

    replaced = Mentions(["Ana"], ID).replaced(json.dumps(fault), document=True)

    assert (fault["truncated"], replaced.found) == (True, 1)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Ana Muñozová", "op-17 Muñozová"),  # the shorter name, where the longer one is part of a word
        ("Santa Ana.", "Santa op-17."),
        ("ana ANA", "ana ANA"),
        ("Ana_1 Ana-2 Ana's", "op-17_1 op-17-2 op-17's"),
        ("田中さん", "op-17さん"),
        ("Anaさん", "op-17さん"),
        (r"Ana Mu\udcf1oz \\udcd8yvind", "op-17 op-17"),  # bytes of Latin-1, as a decoder of UTF-8 let them pass
        (r"\u0041na \U0041na", r"op-17 \U0041na"),
        ("%41na%20Mu%C3%B1oz+Ana", "op-17+op-17"),
    ],
)
def test_words_are_told_apart_as_people_do(text: str, left: str) -> None:
    assert Mentions(NAMES, ID).replaced(text).text == left


AS_IDS: Final = {"equipmentId": "Ana", "pk": "Equipment#Ana", "sk": "v0_Audit#Ana#Ana", "DeviceID": "Ana", "id": "Ana"}
AS_TEXTS: Final = {"detail": "Ana", "notes": "at Ana", "name": "Equipment#Ana", "said": 'the "id": Ana', "paid": "Ana"}
TYPED: Final = {"pk": {"S": "Equipment#Ana"}, "detail": {"S": "Ana"}}


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_an_id_that_is_a_name_is_kept_where_it_is_an_id_and_replaced_in_texts(levels: int) -> None:
    mentions = Mentions(["Ana"], ID, kept=["Ana"])
    document, left = (
        {
            **AS_IDS,
            **{name: text.replace("Ana", said) for name, text in AS_TEXTS.items()},
            "typed": TYPED | {"detail": {"S": said}},
        }
        for said in ("Ana", ID)
    )
    for _ in range(levels - 1):
        document, left = {"text": json.dumps(document)}, {"text": json.dumps(left)}

    replaced = mentions.replaced(json.dumps(document), document=True)

    assert json.loads(replaced.text) == left
    assert (replaced.found, replaced.kept) == (6, 7)
    for members, found in ((AS_IDS, 0), (AS_TEXTS, 1)):
        assert {mentions.replaced(text, member=name).found for name, text in members.items()} == {found}


def test_names_of_members_stay_and_are_counted() -> None:
    document = {"Ana": 1, "to Ana\n": "Ana", "text": '{"Ana": ": Ana"}'}

    replaced = Mentions(["Ana"], ID).replaced(json.dumps(document), document=True)

    assert json.loads(replaced.text) == {"Ana": 1, "to Ana\n": ID, "text": f'{{"{ID}": ": {ID}"}}'}
    assert (replaced.found, replaced.kept) == (3, 2)


def test_an_id_with_a_name_in_it_is_kept_whole_in_every_encoding_and_elsewhere_the_name_goes() -> None:
    kept = {
        one for key in ("Equipment#press-Ana", "ERROR#2020", "press 7") for one in ids_in(key, Mentions(["Ana"], ID))
    }
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
