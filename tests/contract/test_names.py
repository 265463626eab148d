import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract import names


@given(st.text(max_size=140))
def test_an_identifier_is_1_to_128_printable_characters_without_a_slash(text: str) -> None:
    valid = 1 <= len(text) <= 128 and text.isprintable() and "/" not in text
    try:
        assert names.identifier(text) == text
        accepted = True
    except ValueError:
        accepted = False
    assert accepted == valid


@pytest.mark.parametrize(
    "text", ["d#12345", "press-7", "Zoë's ÆØÅ", "工作机", "🏭", " ", "a b", "x" * 128, "🏭" * 128, "%2F", "\\"]
)
def test_what_people_call_machines_is_an_identifier(text: str) -> None:
    assert names.identifier(text) == text


@given(st.from_regex(re.compile(names.STATE_PATTERN, re.ASCII)))
def test_what_the_documented_pattern_matches_is_a_state(text: str) -> None:
    if text.endswith("\n"):  # a pattern's $ also stands before a last newline
        with pytest.raises(ValueError, match="must match"):
            names.state(text)
    else:
        assert names.state(text) == names.state_filter(text) == text
        if text[1:]:
            assert names.state_filter(text[:-1] + "*") == text[:-1] + "*"


@given(st.text())
def test_any_text_is_a_state_or_refused_with_a_value_error(text: str) -> None:
    for read in (names.state, names.state_filter):
        try:
            assert re.fullmatch(r"[A-Z][A-Z0-9_]{0,31}\*?", read(text), re.ASCII)
        except ValueError:
            continue
