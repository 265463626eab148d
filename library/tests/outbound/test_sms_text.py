"""Texts of SMS: what stays of them in the alphabet of GSM, and the parts that are paid for."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.outbound.sms import ALPHABET, EXTENDED, fold, is_gsm, parts_of, sms_text

SPANISH: Final = (
    "Prensa 7 de la línea 2 está parada: presión baja en el depósito. ¿Quién puede ir? Último aviso de mantenimiento "
    "hoy a las 12:08, técnico más próximo: según el turno, sección B. Información y acción a través del botón: "
)
LINK: Final = "\nhttps://page.example.com/link#a=" + "Ab0-_" * 30


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("línea está aquí útil año Ñandú", "linea esta aqui util año Ñandu"),
        ("“sí” \u2018no\u2019 \u2013 así… • °C", "\"si\" 'no' - asi... - oC"),
        ("e\u0301 a\u0301", "é a"),
        ("\ufb01n\u00a0\u200bç Łódź œuvre", "fin c Lodz oeuvre"),
        ("stop 🛑", "stop ?"),
        ("a\r\nb\u2028c\x07", "a\nb\nc?"),
    ],
)
def test_what_the_alphabet_lacks_gets_a_plain_form(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize("text", ["プレス 7", "Пресс", "línea プ", "押しボタン"])
def test_a_text_in_letters_that_have_no_form_in_it_is_not_made_unreadable(text: str) -> None:
    assert fold(text) is None
    assert sms_text(text, most_parts=1).text == text


def test_a_spanish_text_costs_half_of_what_it_would_cost_as_it_is() -> None:
    assert (parts_of(SPANISH), sms_text(SPANISH, most_parts=9).parts) == (4, 2)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        *(("a" * 160, 1), ("a" * 161, 2), ("a" * 306, 2), ("a" * 307, 3), ("€" * 80, 1), ("€" * 81, 2), ("", 1)),
        *(("a" * 152 + "€" + "a" * 152, 3), ("a" * 152 + "€" + "a" * 151, 2)),  # of a pair no part has one half
        *(("á" * 70, 1), ("á" * 71, 2), ("á" * 134, 2), ("á" * 135, 3), ("👍" * 35, 1), ("👍" * 36, 2)),
        *(("á" * 66 + "👍" + "á" * 66, 3),),
    ],
)
def test_parts_are_counted_as_phones_put_them_together(text: str, parts: int) -> None:
    assert parts_of(text) == parts


ANY: Final = st.text(st.one_of(st.sampled_from("aá€ñ🛑プ\n“"), st.characters(exclude_categories=["Cs"])), max_size=600)


@given(ANY, st.integers(2, 4))
def test_no_text_takes_more_than_is_paid_for_and_its_link_stays_whole(text: str, most: int) -> None:
    written = sms_text(text, most_parts=most, end=LINK if most > 2 else "\nhttps://x")

    assert written.parts == parts_of(written.text) <= most
    assert written.text.endswith(LINK if most > 2 else "\nhttps://x")
    assert written.is_gsm == is_gsm(written.text)


@given(st.text(sorted(ALPHABET.union(EXTENDED) - {"\r", "\f"}), max_size=300))
def test_what_is_written_in_the_alphabet_stays_as_it_is(text: str) -> None:
    assert sms_text(text, most_parts=5).text == text


@given(st.text(sorted(ALPHABET.union(EXTENDED) - set(" \n\r\f")), min_size=500, max_size=700))
def test_a_cut_text_uses_the_room_that_it_has(text: str) -> None:
    written = sms_text(text, most_parts=2, end="\nhttps://x")

    assert parts_of(written.text + "aaa") == 3
    assert written.text.endswith("...\nhttps://x")


def test_an_end_that_is_longer_than_the_room_is_an_error() -> None:
    with pytest.raises(ValueError, match="2 parts"):
        sms_text("a", most_parts=2, end="b" * 307)
