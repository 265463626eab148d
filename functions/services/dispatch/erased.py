"""Erased people, in dispatch: a mark for each, so that no rule assigns them."""

from collections.abc import Iterable

from andon.dynamodb.client import MOST_READ_AT_ONCE, Table
from services.dispatch.tables import KEYS


def key_of(person: str) -> dict[str, str | int]:
    """Return the primary key of a mark, in a partition of its own: a person may be on many rosters, or on none yet."""
    return KEYS.of(f"Person#{person}", "erased")


def erased_among(table: Table, people: Iterable[str]) -> frozenset[str]:
    """Return the marked ones of some people; a hundred are one request."""
    asked = [*dict.fromkeys(people)]
    chunks = [asked[first : first + MOST_READ_AT_ONCE] for first in range(0, len(asked), MOST_READ_AT_ONCE)]
    marks = [mark for chunk in chunks for mark in table.get_many([key_of(person) for person in chunk])]
    return frozenset(person for person, mark in zip(asked, marks, strict=True) if mark is not None)
