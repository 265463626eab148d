"""Audits of a piece of equipment and of its parts: number-based versions, `v0` the latest, `v0000000001` the first."""

from typing import Final, NotRequired

from andon.versions.numbered_resource import NumberedResource
from andon.versions.optimistic_lock import VersionedRow
from contract.entities.audits import Audit, AuditEntity, AuditKey
from services.equipment.metadata import EQUIPMENT
from services.equipment.tables import TABLE, partition_of


class AuditRow(Audit, AuditKey, VersionedRow):
    """The latest audit of a part, or a revision, its key aside; `latest`: on the latest one, its number."""

    latest: NotRequired[int]


AUDITS: Final[NumberedResource[AuditRow, AuditEntity]] = NumberedResource(
    service="equipment",
    kind="audit",
    content=Audit,
    entity=AuditEntity,
    id=("equipmentId", "part"),
    counted_as="revision",
    table=TABLE,
    partition_of=partition_of,
    name="Audit",
    fact="audit-recorded",
    requires=EQUIPMENT.alive,
    missing="No such audit is recorded.",
)
