from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.expressions import UNCONDITIONAL
from andon.dynamodb.hierarchical_key import Hierarchy
from andon.dynamodb.keys import MAX_SORT_KEY_BYTES
from andon.dynamodb.schema import BeginsWith, Between, GreaterThan, KeyQuery, LessThan, Sort
from toys.archive import CURRENT, KEYS, Archive

LEVELS = ("country", "state", "city")
PLACES = Hierarchy(LEVELS)

_partitions = count(1)

# Few and short, some that sort before `#` and some behind, so that parts are often the beginning of others.
parts = st.text(st.sampled_from(' !"$0AJL~é工🏭'), min_size=1, max_size=3)
paths = st.tuples(parts, parts, parts)


@pytest.fixture(scope="module")
def archive() -> Iterator[Archive]:
    with Archive() as archive:
        yield archive


def key_of(*path: str) -> str:
    return PLACES.build(dict(zip(LEVELS, path, strict=True)))


def matches(sort: Sort | None, key: str) -> bool:
    """Return True if DynamoDB, which compares bytes, finds a key."""
    encoded = key.encode()
    match sort:
        case None:
            return True
        case BeginsWith(prefix):
            return encoded.startswith(str(prefix).encode())
        case Between(first, last):
            return str(first).encode() <= encoded <= str(last).encode()
        case LessThan(bound):
            return encoded < str(bound).encode()
        case GreaterThan(bound):
            return encoded > str(bound).encode()


@given(paths)
def test_a_key_comes_apart_into_the_path_it_was_built_of(path: tuple[str, str, str]) -> None:
    named = dict(zip(LEVELS, path, strict=True))

    assert PLACES.parse(PLACES.build(named)) == named


@given(paths, paths, st.integers(min_value=0, max_value=3))
def test_within_matches_just_the_subtree(path: tuple[str, str, str], other: tuple[str, str, str], depth: int) -> None:
    sort = PLACES.within(*path[:depth])

    assert matches(sort, key_of(*path))
    assert matches(sort, key_of(*other)) == (other[:depth] == path[:depth])


@given(paths, paths, st.integers(min_value=1, max_value=3))
def test_every_key_is_before_within_or_behind_a_subtree_and_only_one_of_them(
    path: tuple[str, str, str], other: tuple[str, str, str], depth: int
) -> None:
    at = path[:depth]
    sorts = (PLACES.before(*at), PLACES.within(*at), PLACES.behind(*at))

    assert sum(matches(sort, key_of(*other)) for sort in sorts) == 1


@given(paths, paths, paths, st.integers(min_value=1, max_value=3), st.integers(min_value=1, max_value=3))
def test_between_matches_what_is_neither_before_the_first_nor_behind_the_last(
    one: tuple[str, str, str], two: tuple[str, str, str], other: tuple[str, str, str], depth: int, other_depth: int
) -> None:
    first, last = sorted([one, two], key=lambda path: key_of(*path).encode())
    key = key_of(*other)

    sort = PLACES.between(first[:depth], last[:other_depth])

    outside = matches(PLACES.before(*first[:depth]), key) or matches(PLACES.behind(*last[:other_depth]), key)
    assert matches(sort, key) == (not outside)


def test_every_range_is_one_query_that_dynamodb_understands(archive: Archive) -> None:  # noqa: ARG001
    partition = f"Acme {next(_partitions)}"
    places = [
        ("CA", "QC", "MTL"),
        ("MX", "CHH", "JRZ"),
        ("MX", "JAL", "GDL"),
        ("MX", "JALISCO", "X"),
        ("US", "TX", "A"),
    ]
    for path in places:
        CURRENT.put({"pk": partition, "sk": key_of(*path)}, condition=UNCONDITIONAL)

    def found(sort: Sort | None) -> list[str]:
        query = KeyQuery(keys=KEYS, partition=partition, sort=sort, forward=True)
        return [PLACES.parse(row["sk"])["city"] for row in CURRENT.query(query, limit=100).items]

    assert found(PLACES.within()) == ["MTL", "JRZ", "GDL", "X", "A"]
    assert found(PLACES.within("MX")) == ["JRZ", "GDL", "X"]
    assert found(PLACES.within("MX", "JAL")) == ["GDL"]
    assert found(PLACES.within("MX", "JAL", "GDL")) == ["GDL"]
    assert found(PLACES.between(("CA",), ("MX", "JAL"))) == ["MTL", "JRZ", "GDL"]
    assert found(PLACES.before("MX", "JAL")) == ["MTL", "JRZ"]
    assert found(PLACES.behind("MX", "JAL")) == ["X", "A"]


def test_an_open_end_may_have_the_separator_in_it() -> None:
    boards = Hierarchy(("country", "equipment"), open_end=True)
    path = {"country": "MX", "equipment": "d#12345"}

    assert boards.build(path) == "MX#d#12345"
    assert boards.parse("MX#d#12345") == path
    assert matches(boards.within("MX", "d#1"), "MX#d#1")
    assert not matches(boards.within("MX", "d#1"), "MX#d#12345")


@pytest.mark.parametrize("path", [{"country": "MX"}, {"country": "MX", "state": "a#b", "city": "c"}, {}])
def test_a_path_with_a_hole_or_a_blur_is_not_built(path: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"the path has no|a part of a sort key"):
        PLACES.build(path)


@pytest.mark.parametrize("key", ["MX#JAL", "MX#JAL#GDL#Centro", "", "MX##GDL"])
def test_a_key_of_another_shape_is_not_parsed(key: str) -> None:
    with pytest.raises(ValueError, match=r"zip\(\)|a part of a sort key"):
        PLACES.parse(key)


@pytest.mark.parametrize("path", [(), ("MX", "JAL", "GDL", "Centro")])
def test_a_side_is_asked_of_a_path_only(path: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="1 to 3 parts"):
        PLACES.before(*path)


def test_a_range_backwards_is_refused_as_dynamodb_would() -> None:
    with pytest.raises(ValueError, match="lies before the first"):
        PLACES.between(("US",), ("MX",))


def test_an_empty_or_too_long_open_end_is_refused() -> None:
    boards = Hierarchy(("country", "equipment"), open_end=True)

    with pytest.raises(ValueError, match="not empty"):
        boards.build({"country": "MX", "equipment": ""})
    with pytest.raises(ValueError, match="1024 bytes"):
        boards.build({"country": "MX", "equipment": "x" * MAX_SORT_KEY_BYTES})
