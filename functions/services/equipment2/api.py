"""The routes of machines."""

from typing import Final

from andon.http.resource_api import Located, Names, ResourceApi
from contract.groups import EQUIPMENT_WRITERS, READERS
from contract.parameters import EquipmentId
from services.equipment2.places import guard_of, whereabouts_in
from services.equipment2.resources import MACHINE, require_key

API: Final = ResourceApi(
    MACHINE,
    "/v2/equipment/{id}",
    {"equipment_id": EquipmentId},
    write=EQUIPMENT_WRITERS,
    read=READERS,
    noun="a piece of equipment",
    names=Names(response="Machine", page="Machines"),
    located=Located(whereabouts_in, guard_of),
    require=require_key,
)
