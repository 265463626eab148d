"""People who were erased, as dispatch knows it: a mark for each, so that no rule assigns them."""

from collections.abc import Iterable

from andon.dynamodb.client import Table
from services.dispatch.tables import KEYS


def key_of(person: str) -> dict[str, str | int]:
    """Return the primary key of a mark, in a partition of its own: a person may be on many rosters, or on none yet."""
    return KEYS.of(f"Person#{person}", "erased")


def erased_among(table: Table, people: Iterable[str]) -> frozenset[str]:
    """Return those of up to 100 people who are marked, by one request."""
    asked = [*dict.fromkeys(people)]
    marks = table.get_many([key_of(person) for person in asked])
    return frozenset(person for person, mark in zip(asked, marks, strict=True) if mark is not None)
