"""Audits of a piece of equipment and of its parts: number-based versions, `v0` the latest, `v0000000001` the first."""

from collections.abc import Mapping
from typing import Any

from contract import times
from patterns.dynamodb.key_query import BeginsWith, KeyQuery
from patterns.dynamodb.keys import current_version_key, version_key
from patterns.events.fact import Change, Fact
from patterns.runtime.errors import NotFound
from patterns.versions.optimistic_lock import Command, Draft
from services.equipment.tables import KEYS, partition_of

DISCRIMINATOR = "audit"
REVISION = "audit-revision"

FIELDS = ("equipmentId", "part", "revision", "result", "auditor", "notes")


def key_of(equipment_id: str, part: str) -> dict[str, Any]:
    """Give the primary key of the latest audit of a part, beside the equipment."""
    return {"pk": partition_of(equipment_id), "sk": current_version_key(_name(part))}


def revision_key(equipment_id: str, part: str, revision: int) -> dict[str, Any]:
    """Give the primary key of a revision: a part has a partition of its own, so that its history is a key range."""
    return {"pk": _revisions_partition(equipment_id, part), "sk": version_key(_name(part), revision)}


def audits_of(equipment_id: str) -> KeyQuery:
    """Ask for the latest audits of all parts."""
    return KeyQuery(
        keys=KEYS, partition=partition_of(equipment_id), sort=BeginsWith(current_version_key(_name(""))), forward=True
    )


def revisions_of(equipment_id: str, part: str) -> KeyQuery:
    """Ask for all revisions of a part's audit, newest first; the latest copy, `v0`, is not among them."""
    return KeyQuery(keys=KEYS, partition=_revisions_partition(equipment_id, part))


def record(audit: Mapping[str, Any], command: Command) -> Draft:
    """Decide the next revision of an audit `{equipmentId, part, result, auditor, notes?}`."""
    attributes = {
        "discriminator": DISCRIMINATOR,
        "equipmentId": audit["equipmentId"],
        "part": audit["part"],
        "latest": (command.if_match or 0) + 1,
    }
    content = {name: audit.get(name) for name in ("result", "auditor", "notes")}
    return Draft(content=content, attributes=attributes, command=command)


def found(row: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Give a row back.

    Raises:
        NotFound: there is none.

    """
    if row is None:
        raise NotFound("No such audit is recorded.")
    return row


def to_response(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give what an answer says: `{equipmentId, part, revision, result, auditor, notes?, changedAt, changedBy}`."""
    return {**_entity(row), "changedAt": times.to_utc(row["timestamp"]), "changedBy": row["changedBy"]}


def audit_recorded(change: Change) -> Fact | None:
    """Tell of an audit."""
    if change.new is None:
        return None
    return Fact(
        type="audit-recorded",
        timestamp=change.new["timestamp"],
        partition_key=change.new["equipmentId"],
        entity_name=DISCRIMINATOR,
        entity=_entity(change.new),
    )


def _name(part: str) -> str:
    return f"Audit#{part}"


def _revisions_partition(equipment_id: str, part: str) -> str:
    return f"{_name(part)}#{partition_of(equipment_id)}"


def _entity(row: Mapping[str, Any]) -> dict[str, Any]:
    numbered = {**row, "revision": row["version"]}
    return {name: numbered[name] for name in FIELDS if name in numbered}
