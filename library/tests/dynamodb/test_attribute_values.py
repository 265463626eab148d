import json
from collections.abc import Callable
from decimal import Context, Decimal
from http import HTTPStatus
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.http.response import respond, respond_unless_known
from andon.runtime import strict_json
from andon.runtime.errors import Poison
from andon.runtime.tried import Failed, tried

names = st.text(min_size=1, max_size=8)
scalars = (
    st.none()
    | st.booleans()
    | st.text()
    | st.integers(min_value=-(10**38) + 1, max_value=10**38 - 1)
    | st.floats(min_value=-(2.0**53), max_value=2.0**53).filter(lambda number: number == 0 or abs(number) > 1e-99)
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4), max_leaves=12
)


@given(st.dictionaries(names, values, max_size=6))
def test_an_item_comes_back_as_it_went_in_and_can_be_written_as_json(item: dict[str, Any]) -> None:
    plain = to_plain(to_typed(item))

    assert plain == item == json.loads(json.dumps(plain))


numbers_said = (
    st.integers(-(10**38) + 1, 10**38 - 1)
    | st.floats(strict_json.SMALLEST, strict_json.GREATEST)
    | st.integers(-(10**6), 10**6).map(float)
    | st.sampled_from([70.0, -0.0, 2.0**53, 1e22, 1e23, 1e37, 1e38, 1e100, strict_json.GREATEST])
)


@given(st.dictionaries(names, numbers_said | st.lists(numbers_said, max_size=2), max_size=4))
def test_what_is_said_is_answered_and_digested_alike_before_it_is_stored_and_as_it_comes_back(
    said: dict[str, Any],
) -> None:
    kept = to_plain(to_typed(said))

    assert respond(HTTPStatus.OK, said).body == respond(HTTPStatus.OK, kept).body
    assert strict_json.normalised(said) == strict_json.normalised(kept)
    assert respond_unless_known(said, if_none_match=None) == respond_unless_known(kept, if_none_match=None)


def test_whole_numbers_come_out_as_int_whatever_way_they_are_written() -> None:
    plain = to_plain({"a": {"N": "81.0"}, "b": {"N": "1E+3"}, "c": {"N": "81.5"}})

    assert plain == {"a": 81, "b": 1000, "c": 81.5}
    assert [type(value) for value in plain.values()] == [int, int, float]


# All that DynamoDB keeps: up to 38 digits, of magnitudes from 1E-130 to 9.9…E+125, in whatever form it writes them.
kept_numbers = st.builds(
    lambda digits, magnitude, sign, form: format(
        Decimal(f"{sign}{digits}").scaleb(magnitude - len(digits) + 1, Context(prec=38)), form
    ),
    st.from_regex(r"[1-9][0-9]{0,37}", fullmatch=True) | st.just("9" * 38),
    st.integers(-130, 125) | st.sampled_from([-130, 36, 37, 38, 60, 125]),
    st.sampled_from(["", "-"]),
    st.sampled_from(["f", "E"]),
)


def said(number: float) -> Decimal:
    """Return a number as its JSON says it, be it a float or an integer."""
    return Decimal(strict_json.dumps(number))


@given(kept_numbers)
@example("1E+60")
@example("-" + "9" * 38)
@example("1E-130")
def test_whatever_number_stands_in_a_row_is_published_read_again_and_kept_again(text: str) -> None:
    plain = to_plain({"n": {"N": text}, "all": {"NS": [text]}})

    read = strict_json.loads(strict_json.dumps(plain))

    assert read == plain
    assert said(to_plain(to_typed(read))["n"]) == said(plain["n"])
    assert abs(said(plain["n"]) - Decimal(text)) <= abs(Decimal(text)) * Decimal("1e-15")


@given(st.from_regex(r"-?(0|[1-9][0-9]{0,40})([.][0-9]{1,40})?([eE][+-]?[0-9]{1,3})?", fullmatch=True))
@example("1e-400")
@example("1e126")
@example("1e-131")
@example("1e100")
def test_whatever_number_a_client_may_send_it_is_given_back(text: str) -> None:
    sent = tried(strict_json.loads, f'{{"n": {text}}}')
    if isinstance(sent, Failed):
        assert len(text) > 38 or not Decimal("1e-130") <= abs(Decimal(text)) <= Decimal(repr(strict_json.GREATEST))
        return

    kept = to_plain(to_typed(sent))

    assert said(kept["n"]) == said(sent["n"])
    assert strict_json.loads(strict_json.dumps(kept)) == kept


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), 10**39 + 1, 1e-131, 1e-200, 1e126, 1e200, object(), {"a": [float("nan")]}],
    ids=repr,
)
def test_a_value_without_a_form_in_dynamodb_is_poison(value: object) -> None:
    with pytest.raises(Poison):
        to_typed({"value": value})


@pytest.mark.parametrize("depth", [33, 250, 5000])  # 250 levels overflow the stack of botocore, 5,000 ours
@pytest.mark.parametrize("outer", [lambda inner: [inner], lambda inner: {"a": inner}], ids=["lists", "maps"])
def test_a_value_nested_deeper_than_32_levels_is_poison(depth: int, outer: Callable[[object], object]) -> None:
    with pytest.raises(Poison):
        to_typed({"value": _nested(depth, outer)})


@pytest.mark.parametrize("outer", [lambda inner: [inner], lambda inner: {"a": inner}], ids=["lists", "maps"])
def test_a_value_of_32_levels_is_typed(outer: Callable[[object], object]) -> None:
    value = _nested(32, outer)

    assert to_plain(to_typed({"value": value})) == {"value": value}


def _nested(depth: int, outer: Callable[[object], object]) -> object:
    value: object = "innermost"
    for _ in range(depth):
        value = outer(value)
    return value


def test_sets_and_binaries_that_somebody_put_into_a_row_become_json() -> None:
    image = {"b": {"B": "AAE="}, "raw": {"B": b"\x00\x01"}, "s": {"SS": ["b", "a"]}, "n": {"NS": ["2", "1.5"]}}

    plain = to_plain(image)

    assert plain == {"b": "AAE=", "raw": "AAE=", "s": ["a", "b"], "n": [1.5, 2]}
    assert json.loads(json.dumps(plain)) == plain
