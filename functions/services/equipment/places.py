"""Places of equipment: a caller with limited places reads and writes rows there, and moves none elsewhere."""

from collections.abc import Mapping, Sequence
from typing import Any

from andon.dynamodb.expressions import Condition
from andon.http.places import Places
from andon.versions.optimistic_lock import Guard
from contract import places as contract


def whereabouts_in(said: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the places that a row, or the body of a request, says."""
    return contract.whereabouts(said["location"]["company"], said["factoryId"], said["lineId"])


def guard_of(places: Places) -> Guard | None:
    """Return the bound of a caller on current rows; None: it is everywhere.

    Raises:
        Forbidden: it is nowhere.

    """
    return contract.guard(places, found=whereabouts_in, of_companies=_of_companies)


def _of_companies(names: Sequence[str]) -> Condition:
    path = {"location": "location", "company": "company"}
    return contract.one_of("#location.#company", path, contract.numbered("company", names))
