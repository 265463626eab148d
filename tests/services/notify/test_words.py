"""Each language has all words of messages, in words of its own, and its texts fit into an SMS."""

from collections.abc import Iterator, Mapping
from string import Formatter
from typing import Final

import pytest

from andon.events.domain_event import DomainEvent
from andon.outbound.delivery import Notice
from andon.outbound.sms import fold, is_gsm, sms_text
from contract.chains import SILENT
from demo.board.fake_api import PAGE
from services.calls.catalog import WITHOUT_CATALOG
from services.notify.notices import HelpRequest
from services.notify.proofs import Proof, ProofMessage, proof_text
from services.notify.text import NAMED, text_of
from services.notify.words import ENGLISH, Phrases, in_language, languages

OTHERS: Final = [tag for tag in languages() if tag != ENGLISH]
SAME: Final = {"de": frozenset[str](), "es": frozenset({"material"})}
"""Phrases that are the same in English and in another language."""

FORMS: Final = {"en": {"one", "other"}, "de": {"one", "other"}, "es": {"one", "other"}}
"""Forms of numbers up to a million: https://www.unicode.org/cldr/charts/latest/supplemental/language_plural_rules.html"""


def texts_in(words: Phrases) -> Iterator[tuple[str, str]]:
    """Yield all texts, each by its place; of forms, the place is that of all of them."""
    for name, value in words._asdict().items():
        if isinstance(value, str):
            yield name, value
        elif isinstance(value, Mapping):
            yield from ((f"{name}.{key}" if name == "what" else name, text) for key, text in value.items())
        elif isinstance(value, tuple):
            yield from ((f"{name}.{number}", text) for number, text in enumerate(value))


def holes_in(text: str) -> set[str]:
    return {hole for _, hole, _, _ in Formatter().parse(text) if hole is not None}


def notice(number: int, what: str = "ERROR", name: str = "") -> Notice:
    about = {"equipmentId": f"m-{number}", "state": what, "timestamp": "2026-11-21T17:48:00.000Z"}
    said = {"help": {"name": name or f"Máquina {number}", "what": what, "since": "2026-11-21T17:48:00.000Z"}}
    event = DomainEvent(f"e{number}", "help-requested", 0, "press", said)
    return Notice(f"n{number}", 0, about, detail=HelpRequest(0, event.entity("help")))


def test_messages_come_in_the_languages_of_the_page() -> None:
    assert languages() == tuple(sorted(file.stem.removeprefix("text-") for file in PAGE.glob("text-*.js")))


@pytest.mark.parametrize("tag", languages())
def test_a_language_has_every_text_with_its_holes_and_its_forms(tag: str) -> None:
    words, english = in_language(tag), in_language(ENGLISH)

    assert {*words.what} == {SILENT, *WITHOUT_CATALOG}
    assert {place: holes_in(text) for place, text in texts_in(words)} == {
        place: holes_in(text) for place, text in texts_in(english)
    }
    for forms in (words.many, words.others, words.minutes):
        assert {*forms} == FORMS[tag] == {words.form(count) for count in range(1_000)}
    assert all(text.strip() for _, text in texts_in(words))


@pytest.mark.parametrize("tag", OTHERS)
def test_a_language_says_nothing_in_english(tag: str) -> None:
    english = {text for _, text in texts_in(in_language(ENGLISH))}

    assert {text for _, text in texts_in(in_language(tag))} & english <= SAME[tag]


@pytest.mark.parametrize("tag", languages())
def test_every_text_can_be_written_in_the_alphabet_of_sms(tag: str) -> None:
    assert [text for _, text in texts_in(in_language(tag)) if not is_gsm(fold(text) or "ж")] == []


@pytest.mark.parametrize("tag", languages())
def test_a_usual_message_takes_one_part_of_an_sms(tag: str) -> None:
    one, code = text_of([notice(1)], tag), proof_text(ProofMessage(Proof("code", "sms"), "123456", "+52", tag))

    assert sms_text(f"{one.subject}\n{one.text}", most_parts=3)[1:] == (1, True)
    assert sms_text(f"{code.subject}\n{code.text}", most_parts=3).parts <= 2


@pytest.mark.parametrize(
    ("tag", "subject", "last"),
    [
        ("en", "7 machines need help", "and 2 more"),
        ("de-AT", "7 Maschinen brauchen Hilfe", "und 2 weitere"),
        ("es-MX", "7 máquinas necesitan ayuda", "y 2 más"),
        ("fr", "7 machines need help", "and 2 more"),
    ],
)
def test_several_are_told_with_their_number(tag: str, subject: str, last: str) -> None:
    text = text_of([notice(number) for number in range(NAMED + 2)], tag)

    assert (text.subject, text.text.splitlines()[-1]) == (subject, last)


def test_one_is_told_by_its_name_and_what_this_system_says_of_it_in_the_language_of_whoever_reads() -> None:
    assert text_of([notice(1, SILENT, "Prensa 4")], "es") == (
        "Prensa 4 necesita ayuda",
        "Prensa 4: SIN SEÑAL desde las 17:48 UTC",
    )
    assert text_of([notice(1, "quality", "Presse 4")], "de").text == "Presse 4: Qualität seit 17:48 UTC"
    assert text_of([notice(1, "E-17", "Presse 4")], "de").text == "Presse 4: E-17 seit 17:48 UTC"


def test_a_number_chooses_its_form() -> None:
    words = in_language("es-MX")

    assert [words.counted(words.many, count) for count in (1, 3)] == [
        "1 máquina necesita ayuda",
        "3 máquinas necesitan ayuda",
    ]
