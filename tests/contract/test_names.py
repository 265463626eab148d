import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.runtime import texts
from contract import names


@pytest.mark.parametrize("text", ["a#b", "#", "a/b", "", "..", " a", "x" * 129])
def test_what_would_blur_a_key_or_is_no_identifier_names_no_part(text: str) -> None:
    with pytest.raises(ValueError, match="must"):
        texts.part(text)


def test_a_part_is_normalised() -> None:
    assert texts.part("me\u0301xico") == "m\u00e9xico"


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
