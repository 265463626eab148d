import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.keys import MAX_SORT_KEY_BYTES, prefix, sort_key, split
from andon.dynamodb.schema import Keys
from andon.runtime import times

parts = st.text(st.characters(exclude_characters="#", exclude_categories=["Cs"]), min_size=1, max_size=20)
moments = st.integers(min_value=times.to_ms("1000-01-01T00:00:00Z"), max_value=times.to_ms("9999-12-31T23:59:59Z"))


@given(st.lists(parts, min_size=1, max_size=5))
def test_a_key_comes_apart_into_the_parts_it_was_made_of(given_parts: list[str]) -> None:
    assert split(sort_key(*given_parts)) == tuple(given_parts)


@given(moments, moments)
def test_the_byte_order_of_keys_is_the_order_of_their_times(one: int, other: int) -> None:
    keys = [sort_key("WARNING1", times.to_utc(moment)).encode() for moment in (one, other)]

    assert (keys[0] < keys[1]) == (one < other)
    assert (keys[0] == keys[1]) == (one == other)


@given(st.lists(parts, min_size=1, max_size=3), parts, st.lists(parts, max_size=2))
def test_a_prefix_never_matches_a_longer_sibling(shared: list[str], tail: str, behind: list[str]) -> None:
    sibling = [*shared[:-1], shared[-1] + tail]

    assert sort_key(*shared, "x").startswith(prefix(*shared))
    assert not sort_key(*sibling, *behind, "x").startswith(prefix(*shared))


def test_the_prefix_of_jalisco_is_not_that_of_jal() -> None:
    assert prefix("MX", "JAL") == "MX#JAL#"
    assert not sort_key("MX", "JALISCO", "GDL").startswith(prefix("MX", "JAL"))


@pytest.mark.parametrize("part", ["", "a#b", "#", None, 1, b"a"])
def test_a_part_that_would_blur_the_key_is_refused(part: object) -> None:
    with pytest.raises(ValueError, match="a part of a sort key"):
        sort_key("WARNING1", part)  # type: ignore[arg-type]


@pytest.mark.parametrize(("character", "bytes_each"), [("a", 1), ("é", 2), ("工", 3), ("🏭", 4)])
def test_the_limit_of_a_key_counts_utf8_bytes(character: str, bytes_each: int) -> None:
    fits = character * (MAX_SORT_KEY_BYTES // bytes_each)

    assert sort_key(fits) == fits
    with pytest.raises(ValueError, match="1024 bytes"):
        sort_key(fits + character)


@pytest.mark.parametrize("values", [(), ("a",), ("a", "b", "c")])
def test_a_key_has_a_value_for_each_attribute(values: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="a key has pk, sk"):
        Keys("pk", "sk", one_partition_per="entity").of(*values)
