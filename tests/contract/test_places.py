"""The bound of a caller on rows: the condition of DynamoDB, the predicate and the names of places are one rule."""

from collections.abc import Callable
from typing import Any, Final
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import to_typed
from andon.dynamodb.evaluate import condition
from andon.dynamodb.expressions import Condition, conditional
from andon.http.places import ANYWHERE, Places, places_of
from andon.runtime.errors import Forbidden
from andon.versions.optimistic_lock import Guard
from contract.levels import LEVELS
from contract.places import whereabouts
from services.equipment import places as of_equipment
from services.equipment2 import places as of_machines
from services.people.api import API as PEOPLE

GuardOf = Callable[[Places], Guard | None]

WORDS: Final = st.sampled_from(["a", "b", "a:b", "b:a", "é", "-", "*", ":"])
ROWS: Final = st.tuples(WORDS, WORDS, WORDS)
GROUPS: Final = st.lists(
    st.sampled_from(["operator", "at:", "at::", "at:a", "at:b", "at:a:b", "at:b:é", "at:a:b:a", "at:e\u0301", "at:-"]),
    max_size=4,
)


def equipment(company: str, factory: str, line: str) -> dict[str, Any]:
    """A row of equipment, as stored."""
    location = dict.fromkeys(LEVELS, "x") | {"company": company}
    return {"version": 3, "factoryId": factory, "lineId": line, "location": location}


def machine(company: str, factory: str, line: str) -> dict[str, Any]:
    """A row of a machine, as stored."""
    levels = [{"level": "hall", "name": "a"}, {"level": "company", "name": company}, {"level": "cell", "name": "b"}]
    return {"version": 3, "factoryId": factory, "lineId": line, "levels": levels}


def holds(wanted: Condition, row: dict[str, Any]) -> bool:
    """Whether DynamoDB would write such a row."""
    request = conditional("table", wanted)
    return condition(wanted.expression)(to_typed(row), request)


def names_are_shared(groups: list[str], row: tuple[str, str, str]) -> bool:
    """The rule, once more and by hand."""
    company, factory, line = row
    mine = {normalize("NFC", group[3:]) for group in groups if group.startswith("at:")}
    theirs = {name for name in (company, factory) if ":" not in name}
    if ":" not in factory + line:
        theirs.add(f"{factory}:{line}")
    return bool(mine & theirs)


def guard_or_none(guard_of: GuardOf, groups: list[str]) -> Guard | None:
    try:
        found = guard_of(places_of(groups))
    except Forbidden:
        return None
    return found


@pytest.mark.parametrize(
    ("guard_of", "row_of"), [(of_equipment.guard_of, equipment), (of_machines.guard_of, machine)], ids=["v1", "v2"]
)
@given(groups=GROUPS, row=ROWS)
def test_condition_predicate_and_names_agree(
    guard_of: GuardOf, row_of: Callable[..., dict[str, Any]], groups: list[str], row: tuple[str, str, str]
) -> None:
    if not any(group.startswith("at:") for group in groups):
        assert guard_of(places_of(groups)) is None
        return
    guard, stored = guard_or_none(guard_of, groups), row_of(*row)
    admitted = names_are_shared(groups, row)

    if guard is None:  # who is nowhere is refused before anything is written
        assert not admitted
        return
    assert guard.admits(stored) == holds(guard.condition, stored) == admitted
    assert not guard.admits(None)
    assert not holds(guard.condition, {})


@given(groups=GROUPS, factory=WORDS)
def test_people_are_at_their_factory_alone_and_the_erased_nowhere(groups: list[str], factory: str) -> None:
    places = places_of(groups)
    guard, row = guard_or_none(PEOPLE.guard_of, groups), {"version": 1, "name": "x", "factoryId": factory}

    if guard is not None:
        assert guard.admits(row) == holds(guard.condition, row)
        assert guard.admits({"version": 2, "deleted": True})
        assert not guard.admits(None)
    at_factory = places.is_everywhere or (":" not in factory and factory in places.names)
    assert PEOPLE.is_shown(places, row) == at_factory
    assert PEOPLE.is_shown(places, None) == places.is_everywhere


def test_who_is_everywhere_has_no_bound() -> None:
    assert PEOPLE.guard_of(ANYWHERE) is None
    assert of_equipment.guard_of(ANYWHERE) is None


@given(row=ROWS)
def test_what_is_nowhere_is_for_nobody_who_is_limited(row: tuple[str, str, str]) -> None:
    assert not Places(frozenset({"", ":", "*"})).include(frozenset())
    assert Places(frozenset({"a"})).include(whereabouts(*row)) == ("a" in row[:2])
    assert whereabouts(None, None, None) == whereabouts("", "", "") == frozenset()
