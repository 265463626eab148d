"""Places of equipment and of calls: the own row of where equipment is, and the place that a call keeps from it."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict

from andon.dynamodb.attribute_values import Item
from andon.http.limits import OfSubject
from andon.http.places import ELSEWHERE, Caller, Places, Stay, names_of
from andon.runtime.errors import Forbidden, NotFound
from andon.runtime.json_types import members_of
from contract import factories
from contract import places as contract
from contract.calls import OPEN
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


def stay_of(equipment_id: str) -> Stay:
    """Read where equipment is; nowhere, if it is not registered, or was deleted."""
    row = _row_of(equipment_id)
    return Stay(whereabouts_in(row), "" if row is None else row.get("ownedSince") or "")


OF_EQUIPMENT: Final = OfSubject("equipment_id", stay_of)
OF_EPISODE: Final = OfSubject("equipment_id", stay_of, time="started_at")


def require_at(places: Places, equipment_id: str) -> None:
    """Check that equipment is at one of a caller's places.

    Raises:
        Forbidden: it is not.

    """
    if not places.is_everywhere:
        stay_of(equipment_id).require_at(places)


def since_for(caller: Caller, equipment_id: str) -> str:
    """Return the time from which a caller may see all calls of equipment: its present company's."""
    return "" if _sees_all(caller) else stay_of(equipment_id).since


def sees(caller: Caller, row: Mapping[str, Any], since: str) -> bool:
    """Return True if a caller may see all of a call, and not only that it is open; since: see `since_for`."""
    return is_own(caller, row) or row["raisedAt"] >= since


def is_own(caller: Caller, row: Mapping[str, Any]) -> bool:
    """Return True if a call is at one of the places that a caller is limited to."""
    return not caller.places.is_everywhere and caller.places.include(whereabouts_in(row))


def _sees_all(caller: Caller) -> bool:
    return caller.places.is_everywhere and bool(caller.groups & READERS)


def require_in(places: Places, factory_id: str, line_id: str | None) -> None:
    """Check that a factory, or the one line of it, is one of a caller's places.

    Raises:
        Forbidden: it is not.

    """
    places.require(names_of((factory_id,), (factory_id, line_id)))


def require_shown(caller: Caller, row: Mapping[str, Any] | None) -> None:
    """Check that a caller may know of a call, or of there being none: one that is open goes with its equipment.

    Raises:
        Forbidden: it may not.

    """
    require_own(caller, READERS, None if row is None else row["equipmentId"])
    if _sees_all(caller):
        return
    if row is None:
        raise Forbidden(ELSEWHERE)
    if is_own(caller, row):
        return
    stay = stay_of(row["equipmentId"])
    stay.require_at(caller.places)
    if row["status"] not in OPEN and row["raisedAt"] < stay.since:
        raise Forbidden(ELSEWHERE)


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
