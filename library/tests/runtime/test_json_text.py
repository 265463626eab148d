import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.runtime.json_text import elements, members

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
ways_to_write = st.sampled_from([{}, {"separators": (",", ":")}, {"indent": 1}, {"ensure_ascii": False}])


@given(st.lists(values, max_size=5), ways_to_write)
def test_elements_are_those_that_a_parser_finds(array: list[object], way: dict[str, object]) -> None:
    found = elements(json.dumps(array, **way))  # type: ignore[arg-type]

    assert json.dumps([*map(json.loads, found)]) == json.dumps(array)


@given(st.dictionaries(st.text(), values, max_size=5), ways_to_write)
def test_members_are_those_that_a_parser_finds(some: dict[str, object], way: dict[str, object]) -> None:
    found = members(json.dumps(some, **way))  # type: ignore[arg-type]

    assert json.dumps({name: json.loads(value) for name, value in found.items()}) == json.dumps(some)


@given(st.lists(values, min_size=1, max_size=3))
def test_what_stands_there_is_not_changed_by_a_character(array: list[object]) -> None:
    written = [json.dumps(one) for one in (*array, 10**400, "\ud800")] + ["1.50", "1E5", "[" * 5_000 + "]" * 5_000]

    assert elements(f"[ {' ,'.join(written)}\n]") == written


def test_of_two_members_with_one_name_the_last_counts() -> None:
    assert members('{"a": 1, "\\u0061": 2}') == {"a": "2"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "null",
        '"{}"',
        "{",
        "[",
        '{"a',
        '{"a": "b}',
        "{} {}",
        "{}x",
        '{"a"}',
        "{1: 2}",
        '{"a": 1,}',
        "[1]]",
        "]",
    ],
)
def test_what_is_neither_object_nor_array_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"it|member|behind"):
        members(text)
    with pytest.raises(ValueError, match=r"it|member|behind"):
        elements(text)


@given(st.text(st.sampled_from('{}[]",:\\ab 1\n'), max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (members, elements):
        try:
            read(text)
        except ValueError:
            continue
