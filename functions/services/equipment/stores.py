"""Where equipment keeps its versions."""

from patterns.dynamodb.client import Check, Table
from patterns.dynamodb.expressions import Condition
from patterns.runtime.errors import NotFound
from patterns.versions.versioned_write import Revisions, Versions
from services.equipment import audit, metadata
from services.equipment.tables import HISTORY, KEYS

TABLE = Table("EQUIPMENT_TABLE", KEYS)
HISTORY_TABLE = Table("EQUIPMENT_HISTORY_TABLE", HISTORY)

REGISTERED = Condition(
    "attribute_exists(#version) AND attribute_not_exists(#deleted)", {"version": "version", "deleted": "deleted"}
)


def versions_of(equipment_id: str) -> Versions:
    """Tell where the versions of the metadata are: the current one beside the states, all of them in the history."""
    revisions = Revisions(
        table=HISTORY_TABLE,
        key_of=lambda version: metadata.revision_key(equipment_id, version),
        all=metadata.revisions_of(equipment_id),
        attributes=metadata.attributes_of(equipment_id),
    )
    return Versions(table=TABLE, key=metadata.key_of(equipment_id), revisions=revisions)


def audits_of(equipment_id: str, part: str) -> Versions:
    """Tell where the audits of a part are; there is no audit of what is not registered."""
    revisions = Revisions(
        table=TABLE,
        key_of=lambda revision: audit.revision_key(equipment_id, part, revision),
        all=audit.revisions_of(equipment_id, part),
        attributes={"discriminator": audit.REVISION, "equipmentId": equipment_id, "part": part},
    )
    return Versions(
        table=TABLE,
        key=audit.key_of(equipment_id, part),
        revisions=revisions,
        requires=Check(TABLE, metadata.key_of(equipment_id), REGISTERED),
        missing=NotFound("This equipment is not registered."),
    )
