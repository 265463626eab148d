"""Stations: screens at equipment, each named like its own."""

from typing import Final

from andon.http.places import Caller
from andon.runtime.errors import Forbidden
from contract.groups import STATION

ANOTHER: Final = "You are the station of other equipment."


def require_own(caller: Caller, groups: frozenset[str], equipment_id: str | None) -> None:
    """Check that a caller of none of the groups is the station of this equipment.

    Raises:
        Forbidden: it is not.

    """
    is_own = STATION in caller.groups and caller.name == equipment_id
    if not (is_own or caller.groups & groups):
        raise Forbidden(ANOTHER)
