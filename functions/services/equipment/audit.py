"""Audits of a piece of equipment and of its parts: number-based versions, `v0` the latest, `v0000000001` the first."""

from collections.abc import Mapping
from typing import Final, NotRequired, TypedDict

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.key_query import KeyQuery
from andon.dynamodb.keys import sort_key
from andon.events.fact import fact_of_row
from andon.runtime.errors import NotFound
from andon.versions import numbered_versions
from andon.versions.numbered_versions import Numbered
from andon.versions.optimistic_lock import Changed, Command, Draft, Guard, VersionedRow, changed
from andon.versions.versioned_write import Versions
from contract.entities.equipment import AuditEntity
from services.equipment.metadata import EQUIPMENT
from services.equipment.tables import TABLE, partition_of

AUDIT_RECORDED: Final = "audit-recorded"

DISCRIMINATOR: Final = "audit"
REVISION: Final = "audit-revision"
KIND: Final = "Audit"

MISSING: Final = "No such audit is recorded."


class AuditMark(TypedDict):
    """The attributes of each row of an audit besides its revision."""

    discriminator: str
    equipmentId: str
    part: str


class AuditRow(AuditMark, VersionedRow):
    """The latest audit of a part, or a revision, its key aside; `latest`: on the latest one, its number."""

    result: str
    auditor: str
    notes: NotRequired[str]
    latest: NotRequired[int]


class AuditVersion(AuditEntity, Changed):
    """An audit in a response."""


def audits_of(equipment_id: str, part: str) -> Numbered[AuditRow]:
    """Return the place of the audits of a part: the latest beside the equipment, each in a partition of the part."""
    return Numbered(
        table=TABLE,
        partition=partition_of(equipment_id),
        name=sort_key(KIND, part),
        apart=True,
        attributes=mark_of(equipment_id, part, REVISION),
    )


def versions_of(equipment_id: str, part: str, guard: Guard | None = None) -> Versions[AuditRow]:
    """Return the place of an audit and its revisions; only equipment that is registered, and admitted, is audited."""
    requires = EQUIPMENT.alive(equipment_id, guard)
    return numbered_versions.versions_of(audits_of(equipment_id, part), requires=requires)


def latest_of_all(equipment_id: str) -> KeyQuery:
    """Return the query of the latest audits of all parts."""
    return numbered_versions.all_current(TABLE, partition_of(equipment_id), KIND)


def record(equipment_id: str, part: str, content: Mapping[str, object], command: Command) -> Draft:
    """Decide the next revision of an audit; content: `result`, `auditor`, and `notes`, which may be None."""
    return Draft(content=content, attributes=mark_of(equipment_id, part, DISCRIMINATOR), command=command)


def get(equipment_id: str, part: str, revision: int | None = None) -> AuditRow:
    """Read the latest audit of a part, or a revision.

    Raises:
        NotFound: there is none.

    """
    versions = versions_of(equipment_id, part)
    row = versions.current() if revision is None else versions.revision(revision)
    if row is None:
        raise NotFound(MISSING)
    return row


def kept_revision(row: Item) -> tuple[Table, Item]:
    """Return the table and the row of the revision that a latest audit is."""
    return TABLE, numbered_versions.revision_of(audits_of(row["equipmentId"], row["part"]), row)


def to_response(row: AuditRow) -> AuditVersion:
    """Return an audit for a response."""
    return {**entity_of(row), **changed(row)}


def mark_of(equipment_id: str, part: str, discriminator: str) -> AuditMark:
    """Return the attributes of a row besides its revision."""
    return {"discriminator": discriminator, "equipmentId": equipment_id, "part": part}


def entity_of(row: AuditRow) -> AuditEntity:
    """Return the entity of an audit."""
    entity: AuditEntity = {
        "equipmentId": row["equipmentId"],
        "part": row["part"],
        "revision": row["version"],
        "result": row["result"],
        "auditor": row["auditor"],
    }
    if "notes" in row:
        entity["notes"] = row["notes"]
    return entity


audit_recorded: Final = fact_of_row(AUDIT_RECORDED, DISCRIMINATOR, partition="equipmentId", entity_of=entity_of)
