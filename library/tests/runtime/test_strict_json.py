import json
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.runtime import strict_json

scalars = (
    st.none()
    | st.booleans()
    | st.integers(min_value=-(10**37), max_value=10**37)
    | st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False, min_value=-1e99, max_value=1e99).filter(
        lambda number: number == 0 or abs(number) > strict_json.SMALLEST
    )
    | st.text(st.characters(exclude_categories=["Cs"]))
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)

# Texts as a stranger might send them: numbers of any shape, escapes of any kind, names that come twice, any spaces.
numbers = st.from_regex(r"-?(0|[1-9][0-9]{0,45})([.][0-9]{1,45})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)
strings = st.lists(
    st.text(st.characters(exclude_characters='"\\'), max_size=4)
    | st.sampled_from(
        [r"\"", r"\\", r"\n", r"\u0041", r"\ud83c\udfed", r"\ud83c", r"\udfed", r"\x", "\ud800", "1.5", ":1e5,"]
    ),
    max_size=3,
).map(lambda parts: f'"{"".join(parts)}"')
spaces = st.sampled_from(["", "", " ", "\n", "\t\r"])
words = st.sampled_from(
    ["null", "true", "false", "NaN", "Infinity", "-Infinity", "-0", "-0.0", "1" * 20, "nul", "\ufeff"]
)
texts = st.recursive(
    numbers | strings | words,
    lambda inner: (
        st.tuples(spaces, st.lists(inner, max_size=4), spaces).map(
            lambda all_: f"[{all_[0]}{','.join(all_[1])}{all_[2]}]"
        )
        | st.tuples(spaces, st.lists(st.tuples(st.just('"a"') | strings, inner), max_size=4)).map(
            lambda all_: "{" + f",{all_[0]}".join(f"{name}:{all_[0]}{member}" for name, member in all_[1]) + "}"
        )
        | st.tuples(st.integers(28, 36), inner).map(lambda deep: "[" * deep[0] + deep[1] + "]" * deep[0])
    ),
    max_leaves=10,
)


class Paint(StrEnum):
    RED = "red"


# Values as our code might write them, by mistake too.
writable = st.recursive(
    scalars
    | st.floats()
    | st.integers()
    | st.text()
    | st.just(Paint.RED)
    | st.binary(max_size=1)
    | st.uuids()
    | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner)
        | st.dictionaries(st.text(max_size=5) | st.integers() | st.just(Paint.RED) | st.none(), inner, max_size=4)
    ),
    max_leaves=12,
)


def outcome_of(do: Callable[..., object], *args: object, **more: object) -> str:
    """Return the result to the last digit, or the error and its words."""
    try:
        return repr(do(*args, **more))
    except (TypeError, ValueError) as error:
        return repr(error)


@settings(max_examples=200)
@given(texts)
def test_what_is_read_fast_is_what_is_read_strictly_and_refused_in_the_same_words(text: str) -> None:
    assert outcome_of(strict_json.loads, text) == outcome_of(strict_json._loads_strictly, text)  # noqa: SLF001


@given(st.text() | st.text('0123456789.eE+-[]{},:" \n'))
def test_any_text_is_read_as_if_read_strictly(text: str) -> None:
    assert outcome_of(strict_json.loads, text) == outcome_of(strict_json._loads_strictly, text)  # noqa: SLF001


@settings(max_examples=120)
@given(writable)
def test_what_is_written_fast_is_what_the_standard_library_writes(value: object) -> None:
    compact = partial(json.dumps, value, ensure_ascii=False, separators=(",", ":"))

    assert outcome_of(strict_json.dumps, value) == outcome_of(compact)
    assert outcome_of(strict_json.canonical, value) == outcome_of(compact, sort_keys=True)


@given(values)
def test_what_is_written_is_read_back(value: Any) -> None:  # noqa: ANN401
    assert strict_json.loads(strict_json.dumps(value)) == value
    assert strict_json.loads(strict_json.canonical(value)) == value


@given(values)
def test_what_others_write_with_escapes_is_read_too(value: Any) -> None:  # noqa: ANN401
    assert strict_json.loads(json.dumps(value)) == value


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 9), max_size=6), st.randoms())
def test_canonical_json_does_not_depend_on_the_order_of_members(members: dict[str, int], random: Any) -> None:  # noqa: ANN401
    shuffled = list(members.items())
    random.shuffle(shuffled)

    assert strict_json.canonical(dict(shuffled)) == strict_json.canonical(members)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "{",
            "{'a': 1}",
            "[1,]",
            "01",
            "NaN",
            "[Infinity]",
            "-Infinity",
            "1e400",
            "1e-400",
            "-1e126",
            "1e-131",
            "9" * 39,
        ),
        *("9" * 5000, "-" + "9" * 39, "0." + "1" * 37, "1." + "0" * 5000, '"\ud800"', r'"\ud800"', r'"\udc00\ud800"'),
        *(r'{"\udfff": 1}', r'["\u0041", {"a": ["\ud83d"]}]', "[" * 3000, "[" * 100_000 + "]" * 100_000),
        *('{"a":' * 3000 + "1" + "}" * 3000, "[" * 33 + "]" * 33, "[" * 33 + "1" + "]" * 33),
        *(
            '{"a": [' * 16 + "[]" + "]}" * 16,
            "[[], " + "[" * 250 + "]" * 250 + "]",
            "\ufeff\ufeff{}",
            "{\ufeff}",
            "\ufeff",
            "{}\x00",
        ),
    ],
    ids=lambda text: ascii(text)[:24],
)
def test_what_no_store_could_carry_on_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        strict_json.loads(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("9" * 38, int("9" * 38)), ("1e99", 1e99), ("1e-99", 1e-99), ("0e5", 0.0), ("-0", 0)),
        *((r'"\ud83c\udfed"', "🏭"), (r'"\u0000"', "\x00")),
        ("[" + "[]," * 50 + "{}]", [[] for _ in range(50)] + [{}]),
    ],
)
def test_what_lies_within_the_limits_is_read(text: str, value: object) -> None:
    assert strict_json.loads(text) == value


@pytest.mark.parametrize("innermost", ["", "1", '"["'])
def test_32_levels_are_read(innermost: str) -> None:
    value = strict_json.loads("[" * 32 + innermost + "]" * 32)

    for _ in range(31):
        (value,) = value
    assert value == ([json.loads(innermost)] if innermost else [])


def test_characters_are_written_as_they_are_for_an_escape_costs_six_bytes() -> None:
    assert strict_json.dumps({"detail": "81 °C 🏭"}) == '{"detail":"81 °C 🏭"}'


@pytest.mark.parametrize("text", ["{}", '{"a": [1.5, "é"]}', " 1"])
def test_a_byte_order_mark_before_json_is_passed_over(text: str) -> None:
    assert strict_json.loads(f"\ufeff{text}") == strict_json.loads(text)
