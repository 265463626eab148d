"""Places of people: their factory. Whoever was erased has none, and may be seen by everybody who reads people."""

from collections.abc import Mapping
from typing import Any

from andon.http.places import ELSEWHERE, Places, names_of
from andon.runtime.errors import Forbidden
from andon.versions.optimistic_lock import Guard
from contract.places import guard_of_factory


def is_shown(places: Places, row: Mapping[str, Any] | None) -> bool:
    """Return True if a caller may know of a row, or of there being none."""
    if places.is_everywhere:
        return True
    return row is not None and (bool(row.get("deleted")) or places.include(names_of((row["factoryId"],))))


def require_shown(places: Places, row: Mapping[str, Any] | None) -> None:
    """Check that a caller may know of a row.

    Raises:
        Forbidden: it may not.

    """
    if not is_shown(places, row):
        raise Forbidden(ELSEWHERE)


def guard_of(places: Places) -> Guard | None:
    """Return the bound of a caller on the rows that it may replace.

    Raises:
        Forbidden: it is at no factory.

    """
    return guard_of_factory(places, admits=lambda row: is_shown(places, row))
