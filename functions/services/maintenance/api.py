"""The routes of instructions."""

from typing import Final

from andon.http.limits import OfSubject
from andon.http.resource_api import Names, ResourceApi
from contract.groups import PLANNERS, READERS
from contract.parameters import EquipmentId
from services.maintenance.bodies import OrderKind
from services.maintenance.instructions import INSTRUCTIONS
from services.maintenance.place import place_of

OF_MACHINE: Final = OfSubject("equipment_id")


def _require_machine(id_: tuple[str, str], _: object) -> None:
    place_of(id_[0])  # nothing is to be done at a machine that nobody knows


API: Final = ResourceApi(
    INSTRUCTIONS,
    "/equipment/{id}/instructions/{kind}",
    {"equipment_id": EquipmentId, "kind": OrderKind},
    write=PLANNERS,
    read=READERS,
    noun="the instructions of a kind of maintenance of a machine",
    names=Names(many="instructions", page="InstructionsVersionsResponse"),
    at=OF_MACHINE,
    require=_require_machine,
    refuses=(404,),
    token=False,
    says={
        "get": "Return the current instructions of a kind of maintenance of a machine.",
        "put": "Say what is to be done at a kind of maintenance of a machine: the next version, current at once.\n\n"
        "A request that is sent again is answered as the first time while its version is the current one, later 412.",
    },
)
