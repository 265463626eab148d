"""Audits of a piece of equipment and of its parts: number-based versions, `v0` the latest, `v0000000001` the first."""

from collections.abc import Mapping
from typing import Any, Final, NotRequired, TypedDict, cast

from andon.dynamodb.key_query import KeyQuery
from andon.dynamodb.keys import sort_key
from andon.events.actor import author_in
from andon.events.fact import Change, Fact
from andon.runtime import times
from andon.runtime.errors import NotFound
from andon.versions import numbered_versions
from andon.versions.numbered_versions import Numbered
from andon.versions.optimistic_lock import Command, Draft, VersionedRow
from andon.versions.versioned_write import Versions
from contract.entities import AuditEntity, Changed
from services.equipment import metadata
from services.equipment.tables import TABLE, partition_of

AUDIT_RECORDED: Final = "audit-recorded"

DISCRIMINATOR: Final = "audit"
REVISION: Final = "audit-revision"
KIND: Final = "Audit"


class AuditContent(TypedDict):
    """What an auditor found; `notes` are optional."""

    result: str
    auditor: str
    notes: str | None


class AuditMark(TypedDict):
    """What stands on each row of an audit besides its revision."""

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


def audits_of(equipment_id: str, part: str) -> Numbered:
    """Return where the audits of a part are: the latest beside the equipment, each in a partition of the part."""
    return Numbered(
        table=TABLE,
        partition=partition_of(equipment_id),
        name=sort_key(KIND, part),
        apart=True,
        attributes=mark_of(equipment_id, part, REVISION),
    )


def versions_of(equipment_id: str, part: str) -> Versions:
    """Return where an audit is written, with its revision; only registered equipment is audited."""
    requires = metadata.registration_of(equipment_id)
    return numbered_versions.versions_of(audits_of(equipment_id, part), requires=requires)


def latest_of_all(equipment_id: str) -> KeyQuery:
    """Return the query of the latest audits of all parts."""
    return numbered_versions.all_current(TABLE, partition_of(equipment_id), KIND)


def record(equipment_id: str, part: str, content: AuditContent, command: Command) -> Draft:
    """Decide the next revision of an audit."""
    return Draft(content=content, attributes=mark_of(equipment_id, part, DISCRIMINATOR), command=command)


def require_audit(item: Mapping[str, Any] | None) -> AuditRow:
    """Return what a table keeps under a key of an audit.

    Raises:
        NotFound: nothing.

    """
    if item is None:
        raise NotFound("No such audit is recorded.")
    return cast("AuditRow", item)


def to_response(row: AuditRow) -> AuditVersion:
    """Return what a response says of an audit."""
    return {**entity_of(row), "changedAt": times.to_utc(row["timestamp"]), "changedBy": row["changedBy"]}


def audit_recorded(change: Change) -> Fact | None:
    """Return the fact of an audit."""
    if change.new is None:
        return None
    row = require_audit(change.new)
    return Fact(
        type=AUDIT_RECORDED,
        timestamp_ms=row["timestamp"],
        partition_key=row["equipmentId"],
        entity_name=DISCRIMINATOR,
        entity=entity_of(row),
        actor=author_in(row),
    )


def mark_of(equipment_id: str, part: str, discriminator: str) -> AuditMark:
    """Return what stands on a row of an audit besides its revision."""
    return {"discriminator": discriminator, "equipmentId": equipment_id, "part": part}


def entity_of(row: AuditRow) -> AuditEntity:
    """Return what an event says of an audit."""
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
