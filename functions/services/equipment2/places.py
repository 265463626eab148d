"""Places of machines: a caller who is limited to some reads and writes what is there, and takes it nowhere else."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from andon.dynamodb.expressions import Condition
from andon.http.limits import OfSubject
from andon.http.places import Places, Stay
from andon.runtime.errors import NotFound
from andon.versions.optimistic_lock import Guard
from andon.versions.resource import ResourceRow, since_in, time_of
from contract import places as contract
from contract.locations import COMPANY, location_of
from services.equipment2.machine import MACHINE


def whereabouts_in(said: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the places that a row, or the body of a request, says."""
    return contract.whereabouts(location_of(said["levels"])["company"], said["factoryId"], said["lineId"])


def stay_of(equipment_id: str) -> Stay:
    """Read where a machine is, or was when it was deleted; consistently."""
    row = MACHINE.versions_of(equipment_id).current()
    return Stay() if row is None else Stay(whereabouts_in(row), since_in(row))


OF_MACHINE: Final = OfSubject("equipment_id", stay_of)


def require_shown(places: Places, equipment_id: str, row: ResourceRow) -> None:
    """Check that an earlier version is not another company's.

    Raises:
        NotFound: it is.

    """
    if not stay_of(equipment_id).is_at(places, time_of(row)):
        raise NotFound(MACHINE.missing)


def guard_of(places: Places) -> Guard | None:
    """Return the bound of a caller on current rows; None: it is everywhere.

    Raises:
        Forbidden: it is nowhere.

    """
    return contract.guard(places, found=whereabouts_in, of_companies=_of_companies)


def _of_companies(names: Sequence[str]) -> Condition:
    levels = contract.numbered("company", [{"level": COMPANY, "name": name} for name in names])
    return Condition(" OR ".join(f"contains(#levels, :{place})" for place in levels), {"levels": "levels"}, levels)
