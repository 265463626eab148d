"""Places of equipment: a caller who is limited to some reads and writes what is there, and takes it nowhere else."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from andon.dynamodb.expressions import Condition
from andon.http.limits import OfSubject
from andon.http.places import Places
from andon.versions.optimistic_lock import Guard
from contract import places as contract
from services.equipment.metadata import EQUIPMENT


def whereabouts_in(said: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the places that a row, or the body of a request, says."""
    return contract.whereabouts(said["location"]["company"], said["factoryId"], said["lineId"])


def whereabouts_of(equipment_id: str) -> frozenset[str]:
    """Read where a piece of equipment is, or was when it was deleted; consistently."""
    row = EQUIPMENT.versions_of(equipment_id).current()
    return frozenset() if row is None else whereabouts_in(row)


OF_EQUIPMENT: Final = OfSubject("equipment_id", whereabouts_of)


def guard_of(places: Places) -> Guard | None:
    """Return the bound of a caller on current rows; None: it is everywhere.

    Raises:
        Forbidden: it is nowhere.

    """
    return contract.guard(places, found=whereabouts_in, of_companies=_of_companies)


def _of_companies(names: Sequence[str]) -> Condition:
    path = {"location": "location", "company": "company"}
    return contract.one_of("#location.#company", path, contract.numbered("company", names))
