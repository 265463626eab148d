"""The place of a machine: maintenance's own projection, as little as an order and its attachments need."""

from typing import NotRequired, TypedDict

from andon.runtime.errors import NotFound
from andon.runtime.json_types import members_of
from contract import factories
from services.maintenance.tables import KEYS, TABLE, partition_of

UNKNOWN = "This equipment is not registered."


class MachinePlace(TypedDict):
    """The factory and the company of a machine; rows of before have no company."""

    factoryId: str
    company: NotRequired[str]


def place_of(equipment_id: str) -> MachinePlace:
    """Read where a machine is.

    Raises:
        NotFound: it is not registered, or maintenance has not heard of it yet.

    """
    row = TABLE.get(factories.key_of(KEYS, partition_of(equipment_id)))
    if row is None or factories.factory_of(row) is None:
        raise NotFound(UNKNOWN)
    return members_of(MachinePlace, row)


def owner_in(place: MachinePlace) -> str:
    """Return the owner of attachments at a place: nobody else's contents are found by their digests."""
    return place.get("company", place["factoryId"])
