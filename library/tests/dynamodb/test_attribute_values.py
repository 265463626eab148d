import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.runtime.errors import Poison

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


def test_whole_numbers_come_out_as_int_whatever_way_they_are_written() -> None:
    plain = to_plain({"a": {"N": "81.0"}, "b": {"N": "1E+3"}, "c": {"N": "81.5"}})

    assert plain == {"a": 81, "b": 1000, "c": 81.5}
    assert [type(value) for value in plain.values()] == [int, int, float]


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 10**39 + 1, 1e-200, 1e200, object(), {"a": [float("nan")]}], ids=repr
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
