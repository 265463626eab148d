"""Places of a caller, and names of places: pure."""

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.http.places import ANYWHERE, ELSEWHERE, VARIABLE, Places, caller_of, names_of, places_of
from andon.runtime.errors import Forbidden
from andon.testing.lambda_events import http_event

PARTS = st.text(st.sampled_from("ab:é *%"), max_size=3)
PATHS = st.lists(st.lists(st.none() | PARTS, min_size=1, max_size=3).map(tuple), max_size=4)


@given(groups=st.lists(PARTS), required=st.booleans())
def test_without_a_place_a_caller_is_everywhere_unless_places_are_required(
    groups: list[str], *, required: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if required:
            patch.setenv(VARIABLE, "1")

        assert places_of(groups).is_everywhere is not required
        assert places_of([*groups, "at:*"]) == ANYWHERE
        assert places_of([*groups, "at:x"]) == Places(frozenset({"x"}))


@given(paths=PATHS, name=PARTS)
def test_a_caller_is_where_one_of_the_names_is_its_own(paths: list[tuple[str | None, ...]], name: str) -> None:
    names = {":".join(path) for path in paths if all(part and ":" not in part for part in path)}  # type: ignore[arg-type]

    assert names_of(*paths) == {normalize("NFC", one) for one in names}
    assert Places(frozenset({name})).include(names_of(*paths)) == (name in names)
    assert ANYWHERE.include(names_of(*paths))


@pytest.mark.parametrize("group", ["at:", "at", "AT:x", "at :x", " at:x", "xat:y", "at*"])
def test_what_is_not_quite_a_place_limits_nobody_or_to_nowhere(group: str) -> None:
    places = places_of([group])

    assert places.is_everywhere or places.names == {""}
    assert not Places(frozenset({""})).include(names_of(("",), ("", ""), ("x",)))


def test_names_are_normalised_and_decoded() -> None:
    assert places_of(["at:Acme%20Co\u0301"]).names == {"Acme C\u00f3"}
    assert places_of(["at:100%"]).names == {"100%"}
    assert names_of(("e\u0301", "a")) == {"\u00e9:a"}
    assert not places_of(["at:%2A"]).is_everywhere


def test_a_token_names_places_beside_groups() -> None:
    caller = caller_of(http_event("GET /things", groups=["reader", "at:x", "at:y:z"]))

    assert caller.places == Places(frozenset({"x", "y:z"}))
    assert caller_of(http_event("GET /things", groups=["reader"])).places == ANYWHERE


def test_what_is_elsewhere_is_refused() -> None:
    Places(frozenset({"x"})).require(frozenset({"x", "y"}))
    with pytest.raises(Forbidden, match=ELSEWHERE):
        Places(frozenset({"x"})).require(frozenset({"y"}))
    with pytest.raises(Forbidden):
        Places(frozenset({"x"})).require(frozenset())
