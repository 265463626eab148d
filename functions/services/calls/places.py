"""Places of equipment and of calls: the own row of where equipment is, and the place that a call keeps from it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.expressions import Condition
from andon.http.caller import Caller
from andon.http.limits import OfSubject
from andon.http.places import ELSEWHERE, Places, names_of
from andon.runtime.errors import Forbidden, NotFound
from andon.runtime.json_types import members_of
from andon.versions.optimistic_lock import Guard
from contract import factories
from contract import places as contract
from contract.groups import READERS
from contract.stations import ANOTHER, require_own
from services.calls.tables import KEYS, TABLE, partition_of

UNKNOWN: Final = "This equipment is not registered."


class EquipmentPlace(TypedDict):
    """Place of a piece of equipment."""

    factoryId: str
    lineId: str
    company: str


def place_of(equipment_id: str) -> EquipmentPlace:
    """Read where equipment is.

    Raises:
        NotFound: it is not registered, or calls has not heard of it yet.

    """
    row = _row_of(equipment_id)
    if row is None or factories.factory_of(row) is None:
        raise NotFound(UNKNOWN)
    return members_of(EquipmentPlace, row)


def whereabouts_in(row: Mapping[str, Any] | None) -> frozenset[str]:
    """Return the names of the places that a row is at."""
    if row is None:
        return frozenset()
    return contract.whereabouts(row.get("company"), row.get("factoryId"), row.get("lineId"))


def whereabouts_of(equipment_id: str) -> frozenset[str]:
    """Read the names of the places that equipment is at; none, if it is not registered, or was deleted."""
    return whereabouts_in(_row_of(equipment_id))


OF_EQUIPMENT: Final = OfSubject("equipment_id", whereabouts_of)


def guard_of(places: Places) -> Guard | None:
    """Return the bound of a caller on calls; None: it is everywhere.

    Raises:
        Forbidden: it is nowhere.

    """
    return contract.guard(places, found=whereabouts_in, of_companies=_of_companies)


def require_at(places: Places, equipment_id: str) -> None:
    """Check that equipment is at one of a caller's places.

    Raises:
        Forbidden: it is not.

    """
    if not places.is_everywhere:
        places.require(whereabouts_of(equipment_id))


def require_in(places: Places, factory_id: str, line_id: str | None) -> None:
    """Check that a factory, or the one line of it, is one of a caller's places.

    Raises:
        Forbidden: it is not.

    """
    places.require(names_of((factory_id,), (factory_id, line_id)))


def require_shown(caller: Caller, row: Mapping[str, Any] | None) -> None:
    """Check that a caller may know of a call, or of there being none.

    Raises:
        Forbidden: it may not.

    """
    require_own(caller, READERS, None if row is None else row["equipmentId"])
    caller.places.require(whereabouts_in(row))


def require_in_factory(caller: Caller, factory_id: str) -> None:
    """Check that a caller is at a factory, or at a line of it; of a station, that its equipment is.

    Raises:
        Forbidden: it is not.

    """
    if not caller.groups & READERS and _factory_of(caller.name) != factory_id:
        raise Forbidden(ANOTHER)
    if not contract.are_in_factory(caller.places, factory_id):
        raise Forbidden(ELSEWHERE)


def _factory_of(equipment_id: str) -> str | None:
    return factories.factory_of(_row_of(equipment_id)) if equipment_id else None


def _row_of(equipment_id: str) -> Item | None:
    return TABLE.get(factories.key_of(KEYS, partition_of(equipment_id)))


def _of_companies(names: Sequence[str]) -> Condition:
    return contract.one_of("#company", {"company": "company"}, contract.numbered("company", names))
