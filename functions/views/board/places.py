"""Places of a row of the board, for limited callers."""

from collections.abc import Mapping
from typing import Any

from andon.dynamodb.attribute_values import Item
from andon.http.places import Places, names_of
from contract.places import whereabouts


def whereabouts_in(row: Mapping[str, Any] | None) -> frozenset[str]:
    """Return the names of the places that a row says."""
    return frozenset() if row is None else whereabouts(row.get("Company"), row.get("FactoryID"), row.get("LineID"))


def is_shown(places: Places, row: Item) -> bool:
    """Return True if a caller may learn that a row has seen a write: it is at one of the places, or was deleted."""
    return bool(row.get("Deleted")) or places.include(whereabouts_in(row))


def require_shown(places: Places, row: Item | None) -> None:
    """Check that a caller may see a row.

    Raises:
        Forbidden: it may not, or there is none.

    """
    if not places.is_everywhere:
        places.require(whereabouts_in(row))


def is_all_of(places: Places, company: str) -> bool:
    """Return True if a caller may see all of a company."""
    return places.is_everywhere or places.include(names_of((company,)))
