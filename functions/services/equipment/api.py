"""The routes of equipment and of its audits."""

from typing import Final

from andon.http.resource_api import Located, Names, ResourceApi
from contract.groups import AUDITORS, EQUIPMENT_WRITERS, READERS
from contract.parameters import EquipmentId, Part
from services.equipment.audit import AUDITS
from services.equipment.metadata import EQUIPMENT, require_key
from services.equipment.places import guard_of, whereabouts_in

API: Final = ResourceApi(
    EQUIPMENT,
    "/equipment/{id}",
    {"equipment_id": EquipmentId},
    write=EQUIPMENT_WRITERS,
    read=READERS,
    noun="a piece of equipment",
    names=Names(many="equipment", response="Equipment", page="EquipmentVersions", rollback="RollbackBody"),
    located=Located(whereabouts_in, guard_of),
    require=require_key,
)

OF_AUDITS: Final = ResourceApi(
    AUDITS,
    "/equipment/{id}/audits/{part}",
    {"equipment_id": EquipmentId, "part": Part},
    write=AUDITORS,
    read=READERS,
    noun="an audit of a part",
    names=Names(response="Audit", page="Audits"),
    beside=API,
    refuses=(404, 409),
    revisions="revisions",
    says={
        "put": "Record an audit of a part, `_` for the whole: the next revision.",
        "get": "Return the latest audit of a part, `_` for the whole.",
        "list": "List every audit of a part, newest first.",
        "version": "Return one audit of a part.",
        "all": "List the latest audit of each part.",
        "page": "A page of audits; a missing cursor is the end.",
    },
)
